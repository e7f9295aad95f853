import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { openHpke, sealHpke } from '#core/crypto/hpke.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { WireError } from '#core/errors.ts'
import { decodeCertificate, encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { encodeInvitationLink, openInvitation, readInvitationLink, sealInvitation } from '#core/identity/invitation.ts'
import { checkManifest, signManifest } from '#core/identity/manifest.ts'
import { entropyToPhrase } from '#core/keys/phrase.ts'
import { completeWord, readPhrase } from '#core/keys/read-phrase.ts'
import { finish, initiate, respond } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import { Transport } from '#core/noise/transport.ts'
import { pad, unpad } from '#core/padding/padding.ts'
import type { AccountId, DeviceId, InvitationId } from '#core/wire/ids.ts'
import { mutated, onlyTyped, RUNS } from '../support/hostile.ts'

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

type Decoder = readonly [name: string, valid: Uint8Array, decode: (bytes: Uint8Array) => unknown]
const decoders: readonly Decoder[] = [
  ['certificate', encodeCertificate(certificate), decodeCertificate],
  ['manifest', manifest, (bytes) => checkManifest(bytes, account, { sequence: 1, manifest })],
  ['invitation blob', await sealInvitation(key(9), invitation, key(1)), (b) => openInvitation(key(9), invitation, b)],
  ['HPKE', await sealHpke(recipient.publicKey, EMPTY, EMPTY, key(1)), (b) => openHpke(recipient, EMPTY, EMPTY, b)],
  ['padding', pad(key(1), 0), unpad],
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

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}
