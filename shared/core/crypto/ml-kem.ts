import { MlKem768 } from 'mlkem'
import { fromBase64url } from '../bytes/base64url.ts'
import { CryptoError } from '../errors.ts'
import type { Dice } from './random.ts'
import { source } from './source.ts'

/** ML-KEM-768 (FIPS 203): the browser's where it has one, which is ten times faster, else a JavaScript one. */
export const ML_KEM_PUBLIC_BYTES = 1184
export const ML_KEM_CIPHERTEXT_BYTES = 1088
export const ML_KEM_SEED_BYTES = 64
const ENCAP_SEED_BYTES = 32
/** Of the coefficients in a public key, two in three bytes; its matrix seed follows. */
const MODULUS = 3329
const COEFFICIENT_BYTES = 1152
const NAME = 'ML-KEM-768'

export type MlKemPrivateKey = {
  /** Non-extractable; only where WebCrypto has ML-KEM. */
  readonly handle?: CryptoKey
  decap(ciphertext: Uint8Array): Promise<Uint8Array>
}

export async function mlKemFromSeed(seed: Uint8Array): Promise<MlKemPrivateKey> {
  const native = await nativeKem()
  if (native === undefined) {
    const kem = new MlKem768()
    const [, privateKey] = await kem.deriveKeyPair(seed)
    return { decap: (ciphertext) => kem.decap(ciphertext, privateKey) }
  }
  const handle = await native.importKey('raw-seed', source(seed), NAME, false, ['decapsulateBits'])
  return { handle, decap: (ciphertext) => mlKemDecap(handle, ciphertext) }
}

export async function mlKemPublicKey(seed: Uint8Array): Promise<Uint8Array> {
  const native = await nativeKem()
  return native === undefined ? (await new MlKem768().deriveKeyPair(seed))[0] : nativePublicKey(native, seed)
}

/** FIPS 203 section 7.2, the checks of an encapsulation key: its length, and coefficients that are reduced. */
export function isMlKemPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== ML_KEM_PUBLIC_BYTES) return false
  for (let i = 0; i < COEFFICIENT_BYTES; i += 3) {
    const three = (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16)
    if ((three & 0xfff) >= MODULUS || three >> 12 >= MODULUS) return false
  }
  return true
}

/** WebCrypto draws its own randomness; dice are for the JavaScript one. */
export async function mlKemEncap(publicKey: Uint8Array, dice: Dice): Promise<{ enc: Uint8Array; shared: Uint8Array }> {
  const native = await nativeKem()
  if (native === undefined) {
    if (!isMlKemPublicKey(publicKey)) throw new CryptoError('ml-kem/public-key')
    const [enc, shared] = await new MlKem768().encap(publicKey, dice(ENCAP_SEED_BYTES))
    return { enc, shared }
  }
  const key = await native.importKey('raw-public', source(publicKey), NAME, true, ['encapsulateBits'])
  const { ciphertext, sharedKey } = await native.encapsulateBits(NAME, key)
  return { enc: new Uint8Array(ciphertext), shared: new Uint8Array(sharedKey) }
}

/** The public half of an imported seed is told only by the JWK of an extractable key. */
async function nativePublicKey(native: NativeSubtle, seed: Uint8Array): Promise<Uint8Array> {
  const readable = await native.importKey('raw-seed', source(seed), NAME, true, ['decapsulateBits'])
  const { pub } = (await native.exportKey('jwk', readable)) as { pub: string }
  return fromBase64url(pub)
}

/** With a handle from the key ring: only an engine that has ML-KEM ever made one. @throws CryptoError */
export async function mlKemDecap(handle: CryptoKey, ciphertext: Uint8Array): Promise<Uint8Array> {
  const native = await nativeKem()
  if (native === undefined) throw new CryptoError('ml-kem/native')
  return new Uint8Array(await native.decapsulateBits(NAME, handle, source(ciphertext)))
}

/** The methods of the WebCrypto draft that core's own types, which all engines must have, leave out. */
interface NativeSubtle {
  importKey(
    format: 'raw-seed' | 'raw-public',
    data: Uint8Array<ArrayBuffer>,
    algorithm: string,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>
  exportKey(format: 'jwk', key: CryptoKey): Promise<unknown>
  encapsulateBits(algorithm: string, key: CryptoKey): Promise<{ ciphertext: ArrayBuffer; sharedKey: ArrayBuffer }>
  decapsulateBits(algorithm: string, key: CryptoKey, ciphertext: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
}

let found: Promise<NativeSubtle | undefined> | undefined

/** Asked once: an engine has it or not. */
function nativeKem(): Promise<NativeSubtle | undefined> {
  found ??= probe()
  return found
}

async function probe(): Promise<NativeSubtle | undefined> {
  const native = crypto.subtle as unknown as NativeSubtle
  if (typeof native.encapsulateBits !== 'function') return undefined
  try {
    const publicKey = await nativePublicKey(native, new Uint8Array(ML_KEM_SEED_BYTES))
    return publicKey.length === ML_KEM_PUBLIC_BYTES ? native : undefined
  } catch {
    return undefined
  }
}
