import { toUtf8 } from '../bytes/utf8.ts'
import { AEAD_KEY_BYTES } from '../crypto/aead.ts'
import { HPKE_OVERHEAD_BYTES } from '../crypto/hpke.ts'
import { WireError } from '../errors.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { ACCOUNT_BYTES, type AccountId, HASH_BYTES, MESSAGE_ID_BYTES, type MessageId } from '../wire/ids.ts'
import { MAX_CHANNEL_NAME_UNITS, MAX_STASH_PIECES, MAX_TEXT_BYTES } from '../wire/limits.ts'
import { place } from '../wire/operations.ts'
import { fixed, list, object, oneOf, optional, type TypeOf, text, uint } from '../wire/schema.ts'
import { NAME_BOX_BYTES } from './name-keys.ts'
import { MAX_NAME_UNITS } from './offer.ts'

export const BODY_VERSION = 1
export const MAX_RECEIPTS = 256
export const MAX_AGAIN_LINES = 64
const SIGNATURE_BYTES = 64
export const MAX_KEEPERS = 256
const MAX_BODY_BYTES = MAX_TEXT_BYTES + 4096
/** As long as a channel's timer may be (MLS23). */
const MAX_TIMER_MS = 366 * 24 * 60 * 60 * 1000
/** The last time that a Date can hold: a later one would not be shown but fail (M-09). */
const MAX_TIME_MS = 8_640_000_000_000_000

/** How far the realm's log of manifests goes, as somebody was shown it (K-13), and as the realm has signed it (TRC11). */
const logHead = object({ size: uint(), root: fixed(HASH_BYTES), signature: optional(fixed(SIGNATURE_BYTES)) })
export type LogHead = TypeOf<typeof logHead>
/** A manifest, as somebody says it is. */
const claimed = object({ sequence: uint(0xffff_ffff), hash: fixed(HASH_BYTES) })
export type ClaimedManifest = TypeOf<typeof claimed>

/**
 * Body: what an MLS application message says (docs/spec/message.md). A CBOR map, so that later kinds can be told apart
 * and shown as 'needs a newer Stave' instead of being dropped.
 */
const common = {
  v: uint(255),
  id: fixed<MessageId>(MESSAGE_ID_BYTES),
  atMs: uint(MAX_TIME_MS),
  /** The place in the channel that the author had applied: members compare it with their own chain (C-06). */
  seen: optional(place),
  /** What the author's device was shown of the realm's log, and its account's manifest (TRC1). */
  view: optional(logHead),
  own: optional(claimed),
  /** In a channel of two: the other's manifest, as the author's device was given it. */
  theirs: optional(claimed),
}

const textBody = object({
  ...common,
  kind: oneOf('text'),
  text: text(MAX_TEXT_BYTES),
  /** Vanishes so long after it was sent, or stored by who receives it: the channel's timer when it was sealed (M-04). */
  timerMs: optional(uint(MAX_TIMER_MS)),
})
const receiptBody = object({
  ...common,
  kind: oneOf('receipt'),
  delivered: list(fixed<MessageId>(MESSAGE_ID_BYTES), MAX_RECEIPTS),
})

/** A device that came back: it could not open what was sent after the one place and before the other (SEAM1). */
const askBody = object({ ...common, kind: oneOf('ask'), after: uint(), upTo: uint() })
/** The author's own messages from there, under their old ids and in their old places. */
const againBody = object({
  ...common,
  kind: oneOf('again'),
  ask: fixed<MessageId>(MESSAGE_ID_BYTES),
  lines: list(
    object({
      id: fixed<MessageId>(MESSAGE_ID_BYTES),
      atMs: uint(MAX_TIME_MS),
      order: uint(),
      text: text(MAX_TEXT_BYTES),
      leftMs: optional(uint(MAX_TIMER_MS)), // of one that is to vanish
    }),
    MAX_AGAIN_LINES,
  ),
})
/** And that these were all of this account. */
const answeredBody = object({ ...common, kind: oneOf('answered'), ask: fixed<MessageId>(MESSAGE_ID_BYTES) })

/** This account leaves: its seats are dead when this is read, its devices go with the next commit of somebody who may. */
const leaveBody = object({ ...common, kind: oneOf('leave') })
/** How the author's account calls itself, for members who don't know it. */
const nameBody = object({ ...common, kind: oneOf('name'), name: text(MAX_NAME_UNITS) })

/** Earlier messages for one account, which lie in a stash; all members hear that, and the place of the newest (C-11). */
const historyBody = object({
  ...common,
  kind: oneOf('history'),
  to: fixed<AccountId>(ACCOUNT_BYTES),
  box: fixed(HPKE_OVERHEAD_BYTES + AEAD_KEY_BYTES),
  stash: object({ id: fixed(16), pieces: uint(MAX_STASH_PIECES) }),
  count: uint(),
  upTo: uint(),
})

/** By which whoever may add people reads and settles requests to join, for those who came to that: to each account's key (NAM6). */
const keeperBody = object({
  ...common,
  kind: oneOf('keeper'),
  name: text(MAX_CHANNEL_NAME_UNITS),
  boxes: list(object({ account: fixed<AccountId>(ACCOUNT_BYTES), box: fixed(NAME_BOX_BYTES) }), MAX_KEEPERS),
})

export type TextBody = TypeOf<typeof textBody>
export type ReceiptBody = TypeOf<typeof receiptBody>
export type AskBody = TypeOf<typeof askBody>
export type AgainBody = TypeOf<typeof againBody>
export type AnsweredBody = TypeOf<typeof answeredBody>
export type LeaveBody = TypeOf<typeof leaveBody>
export type NameBody = TypeOf<typeof nameBody>
export type KeeperBody = TypeOf<typeof keeperBody>
export type HistoryBody = TypeOf<typeof historyBody>
export type Body =
  | TextBody
  | ReceiptBody
  | AskBody
  | AgainBody
  | AnsweredBody
  | LeaveBody
  | NameBody
  | KeeperBody
  | HistoryBody

export function encodeBody(body: Body): Uint8Array {
  checkLength(body)
  return encodeCbor(body)
}

/** @throws WireError 'body/newer' for a version or kind that this one doesn't know; 'body/…' or 'schema/…' otherwise */
export function decodeBody(bytes: Uint8Array): Body {
  const value = decodeCbor(bytes, MAX_BODY_BYTES)
  if (typeof value !== 'object' || value === null) throw new WireError('body/shape')
  const { v, kind } = value as { v?: unknown; kind?: unknown }
  if (v !== BODY_VERSION) throw new WireError('body/newer')
  switch (kind) {
    case 'text':
      return checkLength(textBody.check(value))
    case 'receipt':
      return receiptBody.check(value)
    case 'ask':
      return askBody.check(value)
    case 'again':
      return checkLength(againBody.check(value))
    case 'answered':
      return answeredBody.check(value)
    case 'leave':
      return leaveBody.check(value)
    case 'name':
      return nameBody.check(value)
    case 'keeper':
      return keeperBody.check(value)
    case 'history':
      return historyBody.check(value)
    default:
      throw new WireError('body/newer')
  }
}

/** MSG4: all the text of a body together. */
function checkLength<T extends Body>(body: T): T {
  const texts = body.kind === 'text' ? [body.text] : body.kind === 'again' ? body.lines.map((line) => line.text) : []
  const length = texts.reduce((sum, one) => sum + toUtf8(one).length, 0)
  if (length > MAX_TEXT_BYTES) throw new WireError('body/too-long')
  return body
}
