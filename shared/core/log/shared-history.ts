import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, AEAD_TAG_BYTES, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { openHpke, sealHpke } from '../crypto/hpke.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import type { DhKeyPair } from '../crypto/x25519.ts'
import { WireError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { ACCOUNT_BYTES, type AccountId, type Address, MESSAGE_ID_BYTES, type MessageId } from '../wire/ids.ts'
import { MAX_STASH_BYTES, MAX_STASH_PIECES, MAX_TEXT_BYTES } from '../wire/limits.ts'
import { fixed, list, object, type TypeOf, text, uint } from '../wire/schema.ts'
import { deflate, inflate } from './deflate.ts'

/**
 * Shared history: messages of a channel from before somebody came in, for that account alone (docs/spec/shared-history.md, C-11).
 * They lie at the relay in pieces, each of them
 *
 *   12B  random nonce
 *    nB  AES-256-GCM of the padded, compressed lines
 *
 * under a key that is sealed to the account. Additional data: label, where it is, whose it is, and which piece of how many.
 */
export const MAX_PIECE_LINES = 1024
export const MAX_SHARED_LINES = MAX_PIECE_LINES * MAX_STASH_PIECES
const MAX_PIECE_INFLATED = 1024 * 1024
/** Padmé adds up to a sixteenth. */
const MAX_PIECE_DEFLATED = 448 * 1024
const PIECE_OVERHEAD_BYTES = AEAD_NONCE_BYTES + AEAD_TAG_BYTES
/** Of a line besides its text, in CBOR; rather more than it takes. */
const LINE_OVERHEAD_BYTES = 128

const line = object({
  id: fixed<MessageId>(MESSAGE_ID_BYTES),
  author: fixed<AccountId>(ACCOUNT_BYTES),
  atMs: uint(),
  order: uint(),
  text: text(MAX_TEXT_BYTES),
})
const piece = object({ v: uint(255), lines: list(line, MAX_PIECE_LINES) })
export type SharedLine = TypeOf<typeof line>

/** Where a share lies and whom it is for: what seals it is bound to that. */
export type SharePlace = { readonly address: Address; readonly to: AccountId; readonly stash: Uint8Array }

/**
 * Packs lines, taken in their order, until they end or no more pieces fit.
 * @returns pieces in the clear, compressed, and how many lines they hold
 */
export async function packShared(
  lines: AsyncIterable<SharedLine>,
): Promise<{ readonly packed: readonly Uint8Array[]; readonly count: number }> {
  const packed: Uint8Array[] = []
  let count = 0
  let held: SharedLine[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    for (const one of await deflated(held)) {
      if (packed.length >= MAX_STASH_PIECES) break
      packed.push(one.bytes)
      count += one.count
    }
    held = []
    bytes = 0
  }
  for await (const one of lines) {
    const more = toUtf8(one.text).length + LINE_OVERHEAD_BYTES
    if (held.length >= MAX_PIECE_LINES || bytes + more > MAX_PIECE_INFLATED) await flush()
    if (packed.length >= MAX_STASH_PIECES) break
    held.push(one)
    bytes += more
  }
  if (held.length > 0) await flush()
  return { packed, count }
}

/** As one piece where that fits; text that does not compress is parted. */
async function deflated(lines: readonly SharedLine[]): Promise<{ bytes: Uint8Array; count: number }[]> {
  const bytes = await deflate(encodeCbor({ v: 1, lines }))
  if (bytes.length <= MAX_PIECE_DEFLATED || lines.length === 1) return [{ bytes, count: lines.length }]
  const half = lines.length >> 1
  return [...(await deflated(lines.slice(0, half))), ...(await deflated(lines.slice(half)))]
}

type Nth = { readonly n: number; readonly of: number }

export function sealSharedPiece(
  key: Uint8Array,
  place: SharePlace,
  nth: Nth,
  packed: Uint8Array,
  dice: Dice,
): Promise<Uint8Array> {
  return sealRandomNonce(key, pad(packed, PIECE_OVERHEAD_BYTES), boundTo(place, nth), dice)
}

/** @throws WireError, CryptoError */
export async function openSharedPiece(
  key: Uint8Array,
  place: SharePlace,
  nth: Nth,
  sealed: Uint8Array,
): Promise<readonly SharedLine[]> {
  if (sealed.length > MAX_STASH_BYTES) throw new WireError('history/piece')
  const packed = unpad(await openRandomNonce(key, sealed, boundTo(place, nth)))
  const { v, lines } = piece.check(decodeCbor(await inflate(packed, MAX_PIECE_INFLATED), MAX_PIECE_INFLATED))
  if (v !== 1) throw new WireError('history/newer')
  return lines
}

/** The key for the account, by the key that its manifest names. */
export function sealShareKey(hpkeKey: Uint8Array, place: SharePlace, key: Uint8Array, dice: Dice): Promise<Uint8Array> {
  return sealHpke(hpkeKey, labels.sharedHistory, keyBoundTo(place), key, dice)
}

/** @throws WireError, CryptoError when it is not for this account, or for another channel */
export async function openShareKey(pair: DhKeyPair, place: SharePlace, box: Uint8Array): Promise<Uint8Array> {
  const key = await openHpke(pair, labels.sharedHistory, keyBoundTo(place), box)
  if (key.length !== AEAD_KEY_BYTES) throw new WireError('history/key')
  return key
}

function keyBoundTo({ address, to, stash }: SharePlace): Uint8Array {
  return concatBytes(address, to, stash)
}

function boundTo({ address, to, stash }: SharePlace, { n, of }: Nth): Uint8Array {
  return new Writer().raw(labels.sharedHistory).raw(address).raw(to).raw(stash).u32(n).u32(of).done()
}
