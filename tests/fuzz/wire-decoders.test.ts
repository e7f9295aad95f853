import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBody, encodeBody } from '#core/message/body.ts'
import { decodeChannelState, encodeChannelState } from '#core/message/channel-state.ts'
import { decodeIntroduction, encodeIntroduction } from '#core/message/introduction.ts'
import { NAME_BOX_BYTES } from '#core/message/name-keys.ts'
import { decodeOffer, encodeOffer } from '#core/message/offer.ts'
import { openOuter, sealOuter } from '#core/message/outer.ts'
import {
  decodeGroup,
  decodeStaged,
  encodeGroup,
  encodeStaged,
  exportGroupInfo,
  type GroupPart,
  joinGroup,
  membersIn,
  openMessage,
  readKeyPackage,
} from '#core/mls/index.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'
import { decodeCover, encodeCover } from '#core/wire/cover.ts'
import { decodeEnvelope, encodeEnvelope } from '#core/wire/envelope.ts'
import { decodeFrame, encodeFrame, Joiner } from '#core/wire/frame.ts'
import type {
  AccountId,
  Address,
  DeviceId,
  EntryId,
  Head,
  InvitationId,
  MessageId,
  PostId,
  SeatId,
  Token,
  TokenHash,
  WakeLabel,
} from '#core/wire/ids.ts'
import { MAX_MESSAGE_BYTES } from '#core/wire/limits.ts'
import {
  decodeReceived,
  decodeRequest,
  encodePush,
  encodeRefusal,
  encodeReply,
  encodeRequest,
} from '#core/wire/message.ts'
import { operations, pushes } from '#core/wire/operations.ts'
import { mutated, onlyTyped, RUNS } from '../support/hostile.ts'
import { create, deviceOf, groupOf, makeAccount, packageOf, say, stage, world } from '../unit/core/mls/support.ts'

const MAX_CPU_MS = 15_000 // of 400 inputs; CPU time, because a busy machine is no failure

const b = <T extends Uint8Array>(length: number, fill = 7) => new Uint8Array(length).fill(fill) as T
const address = b<Address>(32)
const id = b<MessageId>(16)
const place = { position: 3, head: b<Head>(32) }
const ordered = { position: 4, commits: 1, commit: false, id: b<PostId>(16), envelope: b(256) }
const seat = { address, seat: b<SeatId>(16), token: b<Token>(32) }
const common = { v: 1, id, atMs: 1, seen: place }
const roster = {
  seats: [{ leaf: 0, seat: seat.seat, entry: b<EntryId>(16), moderator: true }],
  accounts: [{ account: b<AccountId>(32), entry: b<EntryId>(16), sequence: 1, hpkeKey: b(32), since: 0 }],
}
const introduction = encodeIntroduction({
  invitation: b<InvitationId>(16),
  name: 'Ann',
  manifest: b(100),
  welcome: b(100),
  tree: b(100),
  ...seat,
  kind: 'direct',
  title: '',
  commits: 1,
  entry: { id: b<EntryId>(16), token: b<Token>(32) },
  ...roster,
})
const told = { id, atMs: 1, order: 5, text: 'hello' }
const offer = encodeOffer({
  name: 'Ann',
  manifest: b(100),
  devices: [{ deviceId: b<DeviceId>(16), keyPackage: b(100), drop: b(64) }],
  channel: { title: 'Garden', ask: true },
})
const post = encodeRequest(1, 'channel.post', {
  ...seat,
  known: place,
  posts: [{ id: ordered.id, commits: 1, envelope: b(256) }],
})
const entering = encodeRequest(2, 'channel.enter', {
  ...{ address, entry: b<EntryId>(16), token: b<Token>(32), id: ordered.id, after: 1, envelope: b(256) },
  seats: {
    add: [
      {
        ...{ id: seat.seat, tokenHash: b<TokenHash>(32), moderator: false, drop: b(93) },
        entry: { id: b<EntryId>(16), tokenHash: b<TokenHash>(32) },
      },
    ],
    remove: [seat.seat],
  },
  state: { info: b(300), boxes: [{ entry: b<EntryId>(16), box: b(100) }] },
})
const appending = encodeRequest(3, 'log.append', {
  ...{ address, token: b<Token>(32), after: place, entries: [{ id: ordered.id, bytes: b(256) }] },
})
const vault = encodeRequest(4, 'vault.put', {
  ...{ address, signature: b(64), head: place },
  vault: { number: 2, generation: 1, tokenHash: b<TokenHash>(32), body: b(100) },
})
const fetched = { envelopes: [ordered], from: place, last: place, commits: 1, lastCommit: 1 }

const w = world()
const [ann, ben, cid] = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
if (ann === undefined || ben === undefined || cid === undefined) throw new Error('unreachable')
const [ofAnn, ofBen] = await groupOf(w, [ann, ben])
if (ofAnn === undefined || ofBen === undefined) throw new Error('unreachable')
const made = await packageOf(w, deviceOf(cid))
const alone = await create(w, ann)
const adding = await stage(w, alone, { adds: [made.keyPackage], manifests: [cid.manifest] })
const welcome = adding.welcomes[0]?.welcome ?? b(1)
const { keyPackage, secret } = made
const joining = { welcome, tree: adding.tree, keyPackage, secret, signer: deviceOf(cid).signer }
const rows = encodeGroup(ofBen).put
const rowOf = (part: GroupPart) => rows.find((row) => row.part === part && row.at >= 0)?.bytes ?? b(1)
const withRow = (part: GroupPart) => (bytes: Uint8Array) =>
  decodeGroup(
    rows.map((row) => (row.part === part && row.at >= 0 ? { ...row, bytes } : row)),
    signer,
  )
const renewal = (await stage(w, ofBen)).next
const info = await exportGroupInfo(ofAnn)
const { signer } = ofBen

const kept = { account: b<AccountId>(32), box: b(NAME_BOX_BYTES) }

const history = { to: b<AccountId>(32), box: b(80), stash: { id: b(16), pieces: 3 }, count: 9, upTo: 4 }

type Decoder = readonly [name: string, valid: Uint8Array, decode: (bytes: Uint8Array) => unknown]
const decoders: readonly Decoder[] = [
  ['CBOR', encodeCbor({ a: [1, { b: 'c' }], d: b(9) }), (bytes) => decodeCbor(bytes, MAX_MESSAGE_BYTES)],
  ['an envelope', encodeEnvelope({ to: address, body: b(219) }), decodeEnvelope],
  ['a frame', encodeFrame({ kind: 'last', content: b(60) }), decodeFrame],
  ['cover', encodeCover(512), decodeCover],
  ['a request', post, decodeRequest],
  ['an enter', entering, decodeRequest],
  ['a log append', appending, decodeRequest],
  ['a vault', vault, decodeRequest],
  ['a reply', encodeReply<'channel.fetch'>(1, fetched), received],
  ['a refusal', encodeRefusal(1, { code: 'quota/rate', retryable: true, waitMs: 5 }), decodeReceived],
  ['a wake', encodePush('wake', { label: b<WakeLabel>(16), carried: [ordered] }), decodeReceived],
  ['mail', encodePush('mail', { item: { n: 1, envelope: b(256) } }), decodeReceived],
  ['a text', encodeBody({ ...common, kind: 'text', text: 'hello' }), decodeBody],
  ['a receipt', encodeBody({ ...common, kind: 'receipt', delivered: [id] }), decodeBody],
  ['an ask', encodeBody({ ...common, kind: 'ask', after: 3, upTo: 9 }), decodeBody],
  ['a line told again', encodeBody({ ...common, kind: 'again', ask: id, lines: [told] }), decodeBody],
  ['an answer', encodeBody({ ...common, kind: 'answered', ask: id }), decodeBody],
  ['earlier messages', encodeBody({ ...common, kind: 'history', ...history }), decodeBody],
  ['keys of a name', encodeBody({ ...common, kind: 'keeper', name: 'a/b/c', boxes: [kept] }), decodeBody],
  ['an introduction', introduction, decodeIntroduction],
  ['a channel state', encodeChannelState({ ...info, kind: 'group', title: 'Garden', ...roster }), decodeChannelState],
  ['a GroupInfo', info.groupInfo, (bytes) => membersIn({ ...info, groupInfo: bytes })],
  ['the tree of a GroupInfo', info.tree, (bytes) => membersIn({ ...info, tree: bytes })],
  ['an offer', offer, decodeOffer],
  ['an outer seal', await sealOuter(b(32), address, b(100)), (bytes) => openOuter(b(32), address, bytes)],
  ['an MLS message', (await say(w, ofAnn, 'hello')).message, (bytes) => openMessage(ofBen, bytes, w.nowMs)],
  ['an MLS commit', (await stage(w, ofAnn)).commit, (bytes) => openMessage(ofBen, bytes, w.nowMs)],
  ['a key package', keyPackage, readKeyPackage],
  ['a welcome', welcome, (bytes) => joinGroup({ ...joining, welcome: bytes })],
  ['a tree', adding.tree, (bytes) => joinGroup({ ...joining, tree: bytes })],
  ['stored nodes', rowOf('nodes'), withRow('nodes')],
  ['a stored epoch', rowOf('epochs'), withRow('epochs')],
  ['stored ratchets', rowOf('ratchets'), withRow('ratchets')],
  ['a stored commit', encodeStaged(renewal, ofBen), (bytes) => decodeStaged(bytes, signer, ofBen)],
]

/** What a client does with an answer, whichever operation it is for. */
function received(bytes: Uint8Array): unknown {
  const message = decodeReceived(bytes)
  return message.kind === 'reply' ? operations['channel.fetch'].reply.check(message.value) : message
}

describe.each(decoders)('decoder of %s', (_name, valid, decode) => {
  it('[I-10] takes the real thing, and leaves it as it was', async () => {
    const input = valid.slice()
    await expect(Promise.resolve(decode(input))).resolves.toBeDefined()
    expect(input).toEqual(valid)
  })

  it('[I-10] [R-06] throws typed errors only, soon, on random and on mutated bytes', async () => {
    const before = process.cpuUsage()
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated(valid), fc.constant(new Uint8Array(300_000)))
    await fc.assert(
      fc.asyncProperty(bytes, (input) => onlyTyped(() => decode(input))),
      RUNS,
    )
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(MAX_CPU_MS)
  })
})

describe('values of a hostile side', () => {
  it('[I-10] every schema takes or refuses whatever CBOR can say', async () => {
    const names = ['address', 'token', 'envelopes', 'items', 'results', 'label', '__proto__', 'constructor']
    const value = fc.object({ key: fc.oneof(fc.constantFrom(...names), fc.string()), maxDepth: 3 })
    const schemas = [...Object.values(operations).flatMap(({ args, reply }) => [args, reply]), ...Object.values(pushes)]
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        for (const schema of schemas) await onlyTyped(() => schema.check(given))
      }),
      RUNS,
    )
  })

  it('[I-10] frames of any kind and order join to a message or are refused', () => {
    const kind = fc.constantFrom('cover' as const, 'more' as const, 'last' as const)
    const frame = fc.record({ kind, content: fc.uint8Array({ maxLength: 300 }) })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 60 }), (frames) => {
        const joiner = new Joiner()
        for (const one of frames) expect(joiner.push(one)?.length ?? 0).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
      }),
      RUNS,
    )
  })
})

const whole = (fill: number, ...start: number[]) => {
  const bytes = new Uint8Array(MAX_MESSAGE_BYTES).fill(fill)
  bytes.set(start)
  return bytes
}
const MANY_KEYS = encodeCbor(Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, i])))

/** Each as long as a message may be. */
const monsters: readonly (readonly [string, Uint8Array])[] = [
  ['arrays in arrays', whole(0x81)],
  ['maps in maps', whole(0xa1)],
  ['tags on tags', whole(0xc0)],
  ['wide arrays in wide arrays', whole(0x98)],
  ['indefinite arrays', whole(0x9f)],
  ['an array of 2^53 items', whole(0x00, 0x9b, 0x00, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
  ['a map of 2^32 pairs', whole(0x00, 0xba, 0xff, 0xff, 0xff, 0xff)],
  ['bytes of 2^32', whole(0x00, 0x5a, 0xff, 0xff, 0xff, 0xff)],
  ['text of 2^53', whole(0x61, 0x7b, 0x00, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
  ['a million small values', whole(0x00, 0x9a, 0x00, 0x17, 0xff, 0xfb)],
  ['a million empty maps', whole(0xa0, 0x9a, 0x00, 0x17, 0xff, 0xfb)],
  ['a map of 150,000 keys', MANY_KEYS],
  ['one byte too many', new Uint8Array(MAX_MESSAGE_BYTES + 1)],
]
const MAX_MONSTER_MS = 2_000
const MAX_MONSTER_BYTES = 256 * 1024 * 1024

describe.each(monsters)('%s', (_name, bytes) => {
  it('[R-06] is a value or a typed error, in bounded time and memory', async () => {
    const [cpu, memory] = [process.cpuUsage(), process.memoryUsage()]
    for (const decode of [decodeRequest, decodeReceived, decodeBody, decodeOffer, decodeIntroduction]) {
      await onlyTyped(() => decode(bytes))
    }
    const now = process.memoryUsage()
    expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(5 * MAX_MONSTER_MS)
    expect(now.heapUsed + now.arrayBuffers - memory.heapUsed - memory.arrayBuffers).toBeLessThan(MAX_MONSTER_BYTES)
  })
})
