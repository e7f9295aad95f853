import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Reader } from '#core/bytes/reader.ts'
import { Writer } from '#core/bytes/writer.ts'
import { DEFAULT_COST } from '#core/crypto/argon2id.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { openHpke, sealHpke } from '#core/crypto/hpke.ts'
import { openXWing, sealXWing, sendXWingExport, xWingPairFrom } from '#core/crypto/hpke-xwing.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { WireError } from '#core/errors.ts'
import { encodeCard, readCard } from '#core/identity/card.ts'
import { decodeCertificate, encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { encodeInvitationLink, openInvitation, readInvitationLink, sealInvitation } from '#core/identity/invitation.ts'
import { checkManifest, signManifest } from '#core/identity/manifest.ts'
import { decodePasskeyHandle, encodePasskeyHandle } from '#core/identity/passkey-handle.ts'
import { type ClosedDoor, type Door, phraseDoor, readDoor, seedDoor, writeDoor } from '#core/keys/door.ts'
import { decodeKeyRing, encodeKeyRing, makeKeyRing, newest, rotateKeyRing } from '#core/keys/key-ring.ts'
import { passphraseBytes } from '#core/keys/passphrase.ts'
import { entropyToPhrase } from '#core/keys/phrase.ts'
import { completeWord, readPhrase } from '#core/keys/read-phrase.ts'
import { closedDoorsOf, openVault, sealVault } from '#core/keys/vault.ts'
import { type NewDevice, openAsk, sealAsk } from '#core/link/ask.ts'
import { encodeLink, encodeTypedCode, readLinkCode } from '#core/link/code.ts'
import { checkGrant, type Grant, openGrant, sealGrant } from '#core/link/grant.ts'
import { commitTo, sessionOf } from '#core/link/session.ts'
import { decodeKey, decodeNonce, decodeOffer, encodeKey, encodeNonce, encodeOffer, SLOTS } from '#core/link/slots.ts'
import { delta as deltaSchema, deltas } from '#core/log/delta.ts'
import { decodeEntry, type Entry, encodeEntry } from '#core/log/entry.ts'
import { deltasOf, makePage, openPage } from '#core/log/page.ts'
import { openEntry, sealEntry } from '#core/log/seal.ts'
import { openSharedPiece, packShared, sealSharedPiece } from '#core/log/shared-history.ts'
import { encodeJoinRequest, readJoinRequest } from '#core/message/join-request.ts'
import { finish, initiate, respond } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import { Transport } from '#core/noise/transport.ts'
import { pad, unpad } from '#core/padding/padding.ts'
import type { AccountId, Address, DeviceId, Head, InvitationId, MessageId } from '#core/wire/ids.ts'
import { mutated, onlyTyped, RUNS } from '../support/hostile.ts'
import { Seeded } from '../support/seeded.ts'

/** I-10: on any bytes a decoder returns a value or throws a typed error for the outside world, soon. */
const MAX_CPU_MS = 10_000 // of 400 inputs; CPU time, because a busy machine is no failure

const key = (n: number) => sha256(Uint8Array.of(n))
const root = await signingKeyFromSeed(key(1))
const account = root.publicKey as AccountId
const certificate = await signCertificate(
  { account, deviceId: key(2).slice(0, 16) as DeviceId, signatureKey: key(3), sequence: 1 },
  root,
)
const vault = { phraseDoor: new Uint8Array(40), generation: 1, keyRingHash: key(4), hpkeKey: key(5) }
const manifest = await signManifest({ account, sequence: 1, devices: [{ certificate, hpkeKey: key(6) }], vault }, root)
const recipient = await dhKeyPairFrom(key(7))
const invitation = key(8).slice(0, 16) as InvitationId
const hello = await initiate(PROLOGUE, recipient.publicKey)
const answer = await respond(PROLOGUE, recipient, hello.message)
const EMPTY = new Uint8Array()

const dice = new Seeded(10).dice
const address = key(10) as Address
const deviceId = key(11).slice(0, 16) as DeviceId
const owner = await signingKeyFromSeed(key(12))
const fresh = makeKeyRing({ account, logAddressSecret: key(13), ownerKey: owner.publicKey }, dice)
const ring = rotateKeyRing(fresh, { address, position: 9, head: key(14) as Head }, dice)
const doors: Door[] = [
  await phraseDoor(key(15)),
  { kind: 'device', deviceId, publicKey: recipient.publicKey, name: 'laptop' },
]
const closed: ClosedDoor[] = [
  { kind: 'passphrase', id: key(16).slice(0, 16), params: { salt: key(17).slice(0, 16), ...DEFAULT_COST } },
  { kind: 'passkey', id: key(18).slice(0, 16), params: { credentialId: key(19), prfSalt: key(20) } },
]
for (const door of closed) doors.push(await seedDoor(door, key(21), door.kind))
const record = await sealVault(ring, 1, doors, dice)
const asVault = (body: Uint8Array) => ({ record: { ...record, body }, owner: owner.publicKey })

const line = { kind: 'line', at: 1, channel: address, order: 1, messageId: deviceId, author: account, atMs: 1 } as const
const delta = deltaSchema.check({ ...line, text: 'hello', state: 'sent' })
const entry: Entry = { v: 1, by: deviceId, deltas: [delta] }
const place = { address, position: 10 }
const { page } = await makePage([[{ by: deviceId, delta }]])
const covers = { from: 1, to: 2, before: key(22) as Head, after: key(23) as Head }

const oneTime = await xWingPairFrom(key(24))
const session = sessionOf(
  {
    publicKey: key(25),
    enc: key(26),
    commitment: commitTo(key(27), key(25), key(26)),
    nonceN: key(28),
    nonceH: key(27),
  },
  key(29),
)
const { enc } = await sendXWingExport(oneTime.publicKey, EMPTY, EMPTY, 32, dice)
const asking: NewDevice = { deviceId, signatureKey: account, hpkeKey: key(6), name: 'phone', kind: 'web' }
const ask = await sealAsk(session, asking, root.sign, dice)
const granted: Grant = {
  name: 'Ann',
  by: deviceId,
  certificate: encodeCertificate(certificate),
  manifest,
  keyRing: encodeKeyRing(ring),
  vaultNumber: 1,
  origin: 'https://stave.example',
  realmKey: key(1),
}
const askedBy: NewDevice = { ...asking, deviceId: certificate.deviceId, signatureKey: certificate.signatureKey }

const askingKey = await signingKeyFromSeed(key(30))
const askingDevice = { account, deviceId, signatureKey: askingKey.publicKey, sequence: 1 }
const devices = [{ certificate: await signCertificate(askingDevice, root), hpkeKey: key(6) }]
const asked = {
  name: 'Ann',
  manifest: await signManifest({ account, sequence: 1, devices, vault }, root),
  device: deviceId,
}
const joining = { address, id: deviceId }
const joinRequest = await encodeJoinRequest(joining, { ...asked, note: 'hello', atMs: 1 }, askingKey)

const shared = { address, to: account, stash: deviceId }
const { packed } = await packShared(sharedLines())
const sealPiece = (bytes: Uint8Array) => sealSharedPiece(key(1), shared, { n: 0, of: 1 }, bytes, dice)

type Decoder = readonly [name: string, valid: Uint8Array, decode: (bytes: Uint8Array) => unknown]
const decoders: readonly Decoder[] = [
  ['certificate', encodeCertificate(certificate), decodeCertificate],
  ['manifest', manifest, (bytes) => checkManifest(bytes, account, { sequence: 1, manifest })],
  ['invitation blob', await sealInvitation(key(9), invitation, key(1)), (b) => openInvitation(key(9), invitation, b)],
  ['HPKE', await sealHpke(recipient.publicKey, EMPTY, EMPTY, key(1)), (b) => openHpke(recipient, EMPTY, EMPTY, b)],
  [
    'HPKE with X-Wing',
    await sealXWing(oneTime.publicKey, EMPTY, EMPTY, key(1)),
    (b) => openXWing(key(24), EMPTY, EMPTY, b),
  ],
  ['padding', pad(key(1), 0), unpad],
  ['join request', joinRequest, (bytes) => readJoinRequest(joining, bytes)],
  ['key ring', encodeKeyRing(ring), decodeKeyRing],
  ['vault, closed', record.body, (body) => closedDoorsOf({ body })],
  ['vault, by a device', record.body, (body) => openVault(asVault(body), { kind: 'device', pair: recipient })],
  ['vault, by the phrase', record.body, (body) => openVault(asVault(body), { kind: 'phrase', seed: key(15) })],
  ['door', doorBytes(), (bytes) => readDoor(new Reader(bytes, 10_000))],
  ['passkey handle', encodePasskeyHandle(address, key(1)), decodePasskeyHandle],
  [
    'shared history',
    packed[0] ?? EMPTY,
    async (b) => openSharedPiece(key(1), shared, { n: 0, of: 1 }, await sealPiece(b)),
  ],
  [
    'shared history, sealed',
    await sealPiece(packed[0] ?? EMPTY),
    (b) => openSharedPiece(key(1), shared, { n: 0, of: 1 }, b),
  ],
  ['log entry', encodeEntry(entry), decodeEntry],
  ['log entry, sealed', await sealEntry(newest(ring), place, entry, dice), (bytes) => openEntry(ring, place, bytes)],
  ['log entry with a page', encodeEntry({ v: 1, by: deviceId, page, covers }), (b) => deltasOf(decodeEntry(b))],
  ['page', page, openPage],
  ['link, key', encodeKey(oneTime.publicKey), decodeKey],
  ['link, offer', encodeOffer({ enc, commitment: key(1) }), decodeOffer],
  ['link, nonce', encodeNonce(SLOTS.nonceN, key(1)), (bytes) => decodeNonce(SLOTS.nonceN, bytes)],
  ['link, request', ask, (bytes) => openAsk(session, bytes)],
  ['link, grant', await sealGrant(session, granted, dice), (bytes) => openGrant(session, bytes)],
  ['Noise, first message', hello.message, (bytes) => respond(PROLOGUE, recipient, bytes)],
  ['Noise, second message', answer.message, (bytes) => finish(hello.handshake, bytes)],
  ['Noise, stored transport', answer.transport.encode(), (bytes) => Transport.decode(bytes)],
  ['Noise, frame', new Transport(key(1), key(2)).seal(key(3)), (bytes) => new Transport(key(2), key(1)).open(bytes)],
]

describe.each(decoders)('decoder of %s', (_name, valid, decode) => {
  it('[I-10] takes the real thing', async () => {
    await expect(Promise.resolve(decode(valid))).resolves.toBeDefined()
  })

  it('[I-10] throws typed errors only, on random and on mutated bytes', async () => {
    const before = process.cpuUsage()
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated(valid), fc.constant(new Uint8Array(300_000)))
    await fc.assert(
      fc.asyncProperty(bytes, (input) => onlyTyped(() => decode(input))),
      RUNS,
    )
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(MAX_CPU_MS)
  })

  it('[I-10] leaves its input as it was', async () => {
    const input = valid.slice()
    await onlyTyped(() => decode(input))
    expect(input).toEqual(valid)
  })
})

describe('one encoding', () => {
  it('[IDN1] whatever decodes as a certificate encodes to the same bytes', () => {
    fc.assert(
      fc.property(mutated(encodeCertificate(certificate)), (bytes) => {
        const decoded = attempt(() => decodeCertificate(bytes))
        if (decoded !== undefined) expect(encodeCertificate(decoded)).toEqual(new Uint8Array(bytes))
      }),
      RUNS,
    )
  })

  it('[NOI5] whatever decodes as a transport encodes to the same bytes', () => {
    fc.assert(
      fc.property(mutated(answer.transport.encode()), (bytes) => {
        const decoded = attempt(() => Transport.decode(bytes))
        if (decoded !== undefined) expect(decoded.encode()).toEqual(new Uint8Array(bytes))
      }),
      RUNS,
    )
  })
})

describe('inside a seal', () => {
  it('[I-10] a grant is checked or refused, whatever its parts are', async () => {
    const parts = ['certificate', 'manifest', 'keyRing'] as const
    const changed = fc
      .constantFrom(...parts)
      .chain((part) => mutated(granted[part]).map((b) => ({ ...granted, [part]: b })))
    await fc.assert(
      fc.asyncProperty(changed, (grant) => onlyTyped(() => checkGrant(grant, askedBy))),
      RUNS,
    )
  })

  it('[KRG1] whatever decodes as a key ring encodes to the same bytes', () => {
    fc.assert(
      fc.property(mutated(encodeKeyRing(ring)), (bytes) => {
        const decoded = attempt(() => decodeKeyRing(bytes))
        if (decoded !== undefined) expect(encodeKeyRing(decoded)).toEqual(new Uint8Array(bytes))
      }),
      RUNS,
    )
  })

  it('[L-01] a delta is taken or refused, whatever its fields are', () => {
    const field = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.uint8Array({ maxLength: 40 }), fc.constant(null))
    const kinds = fc.constantFrom(...Object.keys(deltas), 'constructor', 7, undefined)
    const names = fc.constantFrom(
      'at',
      'channel',
      'address',
      'order',
      'text',
      'title',
      'name',
      'values',
      'entry',
      'upTo',
    )
    const some = fc.tuple(kinds, fc.dictionary(names, field)).map(([kind, fields]) => ({ ...fields, kind }))
    fc.assert(
      fc.property(some, (value) => {
        attempt(() => deltaSchema.check(value))
      }),
      RUNS,
    )
  })
})

describe('what people type', () => {
  const words = entropyToPhrase(key(1))
  const link = encodeInvitationLink({
    origin: 'https://stave.example',
    realmKey: key(1),
    id: invitation,
    secret: key(2),
  })
  const typed = (text: string) =>
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .tuple(fc.nat({ max: text.length }), fc.nat({ max: 5 }), fc.string({ unit: 'binary', maxLength: 5 }))
        .map(([at, gone, more]) => text.slice(0, at) + more + text.slice(at + gone)),
    )

  it('[I-10] an invitation link is read or refused as input', async () => {
    await fc.assert(
      fc.asyncProperty(typed(link), (text) => onlyTyped(() => readInvitationLink(text))),
      RUNS,
    )
  })

  it('[I-10] a code of a new device is read or refused as input', async () => {
    const code = encodeLink(key(3), { origin: 'https://stave.example', realmKey: key(1) })
    await fc.assert(
      fc.asyncProperty(fc.oneof(typed(code), typed(encodeTypedCode(key(3)))), (text) =>
        onlyTyped(() => readLinkCode(text)),
      ),
      RUNS,
    )
  })

  it('[I-10] a card is read or refused as input, and so is a passphrase', async () => {
    const card = { origin: 'https://stave.example', realmKey: key(1), logAddress: address, ownerKey: key(2) }
    const text = encodeCard({ ...card, doorId: key(3).slice(0, 16) })
    await fc.assert(
      fc.asyncProperty(typed(text), async (changed) => {
        await onlyTyped(() => readCard(changed))
        await onlyTyped(() => passphraseBytes(changed))
      }),
      RUNS,
    )
  })

  it('[I-10] a phrase is always answered', () => {
    fc.assert(
      fc.property(typed(words.join(' ')), (text) => {
        const read = readPhrase(text)
        if (read.ok) expect(read.words).toHaveLength(24)
        expect(completeWord(text).length).toBeLessThanOrEqual(8)
      }),
      RUNS,
    )
  })
})

function doorBytes(): Uint8Array {
  const w = new Writer()
  const door = doors.at(-1)
  if (door !== undefined) writeDoor(w, door)
  return w.done()
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

async function* sharedLines() {
  yield { id: deviceId as unknown as MessageId, author: account, atMs: 1, order: 1, text: 'hello' }
}
