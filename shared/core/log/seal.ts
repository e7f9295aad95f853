import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { AEAD_NONCE_BYTES, AEAD_TAG_BYTES, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, StateError, WireError } from '../errors.ts'
import { type Generation, generationOf, type KeyRing } from '../keys/key-ring.ts'
import { pad, unpad } from '../padding/padding.ts'
import type { Address } from '../wire/ids.ts'
import { MAX_LOG_ENTRY_BYTES } from '../wire/limits.ts'
import { decodeEntry, type Entry, encodeEntry } from './entry.ts'

/**
 * A sealed entry, as it lies at the relay (docs/spec/log.md, L-01); the whole fills a bucket (T-02).
 *
 *    1B  version (0x01)
 *    4B  generation of the key ring, big-endian
 *   12B  random nonce
 *    nB  AES-256-GCM under the generation's log key, of the padded entry
 *
 * Additional data: label, the log's address, generation, position. So an entry opens in its own place only (LGE2).
 */
const VERSION = 0x01
const HEADER_BYTES = 1 + 4
const OVERHEAD_BYTES = HEADER_BYTES + AEAD_NONCE_BYTES + AEAD_TAG_BYTES

/** Where an entry lies, or will lie if the append wins. */
export type EntryPlace = { readonly address: Address; readonly position: number }

/** @throws WireError 'log/too-large' */
export async function sealEntry(
  { generation, logKey }: Generation,
  place: EntryPlace,
  entry: Entry,
  dice: Dice,
): Promise<Uint8Array> {
  const padded = pad(encodeEntry(entry), OVERHEAD_BYTES)
  if (padded.length + OVERHEAD_BYTES > MAX_LOG_ENTRY_BYTES) throw new WireError('log/too-large')
  const sealed = await sealRandomNonce(logKey, padded, boundTo(place, generation), dice)
  return new Writer().u8(VERSION).u32(generation).raw(sealed).done()
}

/**
 * The place must be one that the log's chain leads to (follow.ts).
 * @throws WireError; StateError 'log/generation' under a generation that this device has not learnt yet; CryptoError
 *   'log/closed' under one that ended before this place, or when it does not open here
 */
export async function openEntry(ring: KeyRing, place: EntryPlace, bytes: Uint8Array): Promise<Entry> {
  const r = new Reader(bytes, MAX_LOG_ENTRY_BYTES)
  if (r.u8() !== VERSION) throw new WireError('log/newer')
  const number = r.u32()
  const generation = generationOf(ring, number)
  if (generation === undefined) throw new StateError('log/generation')
  if (isClosed(ring, number, place)) throw new CryptoError('log/closed') // KRG3
  const padded = await openRandomNonce(generation.logKey, r.take(r.left), boundTo(place, number))
  return decodeEntry(unpad(padded))
}

/** KRG3: a revoked device has the old key; whatever comes after the place where it was closed is not the account's. */
function isClosed(ring: KeyRing, number: number, { address, position }: EntryPlace): boolean {
  const next = generationOf(ring, number + 1)
  if (next === undefined) return false
  const { closes } = next
  return closes === undefined || !equalBytes(closes.address, address) || position > closes.position
}

function boundTo({ address, position }: EntryPlace, generation: number): Uint8Array {
  return new Writer().raw(labels.logEntry).raw(address).u32(generation).u64(position).done()
}
