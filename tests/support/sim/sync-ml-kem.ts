import { MlKem768 } from 'mlkem'
import { toHex } from '#core/bytes/hex.ts'

/**
 * ML-KEM-768 as WebCrypto of newer browsers has it, which Node lacks. All members of a group derive the same path keys: each
 * seed is expanded once, so that a commit costs the simulation what it costs one member.
 */
const NAME = 'ML-KEM-768'
const PUBLIC_BYTES = 1184
const MAX_EXPANDED = 4096
type Pair = Promise<readonly [Uint8Array, Uint8Array]>

const expanded = new Map<string, Pair>()
const pairs = new WeakMap<object, Pair>()
const publics = new WeakMap<object, Uint8Array>()

export function isMlKem(algorithm: unknown): boolean {
  return algorithm === NAME || (algorithm as { name?: unknown } | null)?.name === NAME
}

export function importMlKem(format: string, data: Uint8Array, extractable: boolean): object {
  const type = format === 'raw-seed' ? 'private' : 'public'
  const key = { type, algorithm: { name: NAME }, extractable, usages: [] }
  if (type === 'private') pairs.set(key, expand(new Uint8Array(data)))
  else if (data.length === PUBLIC_BYTES) publics.set(key, new Uint8Array(data))
  else throw new DOMException('not a key', 'DataError')
  return key
}

export async function exportMlKem(key: object): Promise<{ readonly pub: string }> {
  if (!(key as { extractable: boolean }).extractable) throw new DOMException('not extractable', 'InvalidAccessError')
  const [publicKey] = await pairOf(key)
  return { pub: Buffer.from(publicKey).toString('base64url') }
}

export async function encapsulateBits(_algorithm: unknown, key: object) {
  const publicKey = publics.get(key)
  if (publicKey === undefined) throw new DOMException('not a public key', 'InvalidAccessError')
  const [ciphertext, sharedKey] = await new MlKem768().encap(publicKey)
  return { ciphertext: new Uint8Array(ciphertext).buffer, sharedKey: new Uint8Array(sharedKey).buffer }
}

export async function decapsulateBits(_algorithm: unknown, key: object, ciphertext: Uint8Array): Promise<ArrayBuffer> {
  const [, privateKey] = await pairOf(key)
  return new Uint8Array(await new MlKem768().decap(new Uint8Array(ciphertext), privateKey)).buffer
}

function expand(seed: Uint8Array): Pair {
  const name = toHex(seed)
  const known = expanded.get(name)
  if (known !== undefined) return known
  if (expanded.size >= MAX_EXPANDED) expanded.clear()
  const pair = new MlKem768().deriveKeyPair(seed)
  expanded.set(name, pair)
  return pair
}

function pairOf(key: object): Pair {
  const pair = pairs.get(key)
  if (pair === undefined) throw new DOMException('not a private key', 'InvalidAccessError')
  return pair
}
