import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { hashToken } from '../crypto/tokens.ts'
import { type DhKeyPair, dhKeyPairFrom } from '../crypto/x25519.ts'
import { UsageError, WireError } from '../errors.ts'
import {
  ACCOUNT_BYTES,
  type AccountId,
  ADDRESS_BYTES,
  type Address,
  HASH_BYTES,
  type Head,
  TOKEN_BYTES,
  type Token,
  type TokenHash,
} from '../wire/ids.ts'

/**
 * Key ring: what every device of an account has, and what opens its log (docs/spec/keys.md, K-08, K-09).
 *
 *    1B  version (0x01)
 *   32B  account
 *   32B  log address secret
 *   32B  owner key: public half of the key that signs the vault
 *    2B  number of generations, at most 256; of each, from number 1 on:
 *          32B log key (AES-256-GCM)   32B log token   32B seed of the account's HPKE key (X25519)
 *           1B  does it close the one before? 0 or 1; if 1: 32B log address  8B position  32B head
 *
 * A rotation adds a generation and removes none, so that nothing sealed before stops opening.
 */
export type KeyRing = {
  readonly account: AccountId
  readonly logAddressSecret: Uint8Array
  readonly ownerKey: Uint8Array
  readonly generations: readonly Generation[]
}
export type Generation = {
  readonly generation: number
  readonly logKey: Uint8Array
  readonly logToken: Token
  readonly hpkeSeed: Uint8Array
  /** Where the log stood when this generation began: no later entry under the one before is accepted (KRG3). */
  readonly closes?: LogEnd
}
export type LogEnd = { readonly address: Address; readonly position: number; readonly head: Head }

const VERSION = 0x01
const KEY_BYTES = 32
export const MAX_GENERATIONS = 256
export const MAX_KEY_RING_BYTES = 64 * 1024

export function makeKeyRing(
  { account, logAddressSecret, ownerKey }: Omit<KeyRing, 'generations'>,
  dice: Dice,
): KeyRing {
  return { account, logAddressSecret, ownerKey, generations: [newGeneration(1, dice)] }
}

/** @param closes absent where no log was opened yet: then nothing of the generation before is accepted at any place */
export function rotateKeyRing(ring: KeyRing, closes: LogEnd | undefined, dice: Dice): KeyRing {
  if (ring.generations.length >= MAX_GENERATIONS) throw new UsageError('key-ring/generations')
  const next = newGeneration(newest(ring).generation + 1, dice)
  const added = closes === undefined ? next : { ...next, closes }
  return { ...ring, generations: [...ring.generations, added] }
}

export function newest({ generations }: KeyRing): Generation {
  const last = generations.at(-1)
  if (last === undefined) throw new UsageError('key-ring/empty')
  return last
}

export function generationOf({ generations }: KeyRing, number: number): Generation | undefined {
  return generations[number - 1]
}

/** The token's hash as the relay knows it, in the vault's record. */
export function logTokenHash({ logToken }: Generation): TokenHash {
  return hashToken(labels.logToken, logToken)
}

/** The account's HPKE key of one generation; its public half is in the manifest. */
export async function accountHpkePair({ hpkeSeed }: Generation): Promise<DhKeyPair> {
  return dhKeyPairFrom(hkdf('sha512', hpkeSeed, new Uint8Array(), labels.accountHpke, KEY_BYTES))
}

/** A realm can't tell from it where the same account's log lies at another one. */
export function logAddressOf(logAddressSecret: Uint8Array, realmNoiseKey: Uint8Array): Address {
  const info = new Writer().raw(labels.logPlace).raw(realmNoiseKey).done()
  return hkdf('sha512', logAddressSecret, new Uint8Array(), info, ADDRESS_BYTES) as Address
}

/** What the manifest says of the ring: who opens a vault compares it (VLT4). */
export function hashKeyRing(ring: KeyRing): Uint8Array {
  return sha256(new Writer().raw(labels.keyRing).raw(encodeKeyRing(ring)).done())
}

/** KRG2: the same account, and every generation of the older one unchanged. */
export function continuesKeyRing(older: KeyRing, newer: KeyRing): boolean {
  const begins = { ...newer, generations: newer.generations.slice(0, older.generations.length) }
  return equalBytes(encodeKeyRing(begins), encodeKeyRing(older))
}

export function encodeKeyRing({ account, logAddressSecret, ownerKey, generations }: KeyRing): Uint8Array {
  const w = new Writer().u8(VERSION).raw(account).raw(logAddressSecret).raw(ownerKey).u16(generations.length)
  for (const { logKey, logToken, hpkeSeed, closes } of generations) {
    w.raw(logKey).raw(logToken).raw(hpkeSeed)
    if (closes === undefined) w.u8(0)
    else w.u8(1).raw(closes.address).u64(closes.position).raw(closes.head)
  }
  return w.done()
}

/** @throws WireError */
export function decodeKeyRing(bytes: Uint8Array): KeyRing {
  const r = new Reader(bytes, MAX_KEY_RING_BYTES)
  if (r.u8() !== VERSION) throw new WireError('key-ring/version')
  const account = r.take(ACCOUNT_BYTES) as AccountId
  const logAddressSecret = r.take(KEY_BYTES)
  const ownerKey = r.take(KEY_BYTES)
  const count = r.u16()
  if (count === 0 || count > MAX_GENERATIONS) throw new WireError('key-ring/generations')
  const generations = Array.from({ length: count }, (_, i) => decodeGeneration(r, i + 1))
  r.end()
  return { account, logAddressSecret, ownerKey, generations }
}

function decodeGeneration(r: Reader, generation: number): Generation {
  const keys = { logKey: r.take(KEY_BYTES), logToken: r.take(TOKEN_BYTES) as Token, hpkeSeed: r.take(KEY_BYTES) }
  switch (r.u8()) {
    case 0:
      return { generation, ...keys }
    case 1: {
      if (generation === 1) throw new WireError('key-ring/closes') // there is none before
      const closes = { address: r.take(ADDRESS_BYTES) as Address, position: r.u64(), head: r.take(HASH_BYTES) as Head }
      return { generation, ...keys, closes }
    }
    default:
      throw new WireError('key-ring/closes')
  }
}

function newGeneration(generation: number, dice: Dice): Generation {
  return {
    generation,
    logKey: dice(KEY_BYTES),
    logToken: dice(TOKEN_BYTES) as Token,
    hpkeSeed: dice(KEY_BYTES),
  }
}
