import { fromBase64url } from '../bytes/base64url.ts'
import { wipe } from '../bytes/wipe.ts'
import { isUsablePoint } from './ed25519-points.ts'
import { toPkcs8 } from './pkcs8.ts'
import { source } from './source.ts'

/** Ed25519 (RFC 8032). */
export type SigningKeyPair = { readonly privateKey: CryptoKey; readonly publicKey: Uint8Array }
export type SigningKey = SigningKeyPair & { readonly sign: (data: Uint8Array) => Promise<Uint8Array> }

export const SIGNATURE_BYTES = 64
export const VERIFYING_KEY_BYTES = 32
const ED25519 = { name: 'Ed25519' }
const MAX_CACHED_KEYS = 256
const cachedKeys = new Map<string, CryptoKey>()

/** A key whose private half never leaves WebCrypto (K-04). */
export async function generateSigningKey(): Promise<SigningKeyPair> {
  const pair = (await crypto.subtle.generateKey(ED25519, false, ['sign', 'verify'])) as CryptoKeyPair
  const publicKey = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
  return { privateKey: pair.privateKey, publicKey }
}

/** The key that an Ed25519 seed stands for, non-extractable; the caller wipes the seed. */
export async function signingKeyFromSeed(seed: Uint8Array): Promise<SigningKey> {
  const encoded = toPkcs8('Ed25519', seed)
  const privateKey = await crypto.subtle.importKey('pkcs8', encoded, ED25519, false, ['sign'])
  // WebCrypto tells the public half of an imported private key only by a JWK of an extractable one.
  const readable = await crypto.subtle.importKey('pkcs8', encoded, ED25519, true, ['sign'])
  wipe(encoded)
  const { x } = (await crypto.subtle.exportKey('jwk', readable)) as { x: string }
  return { privateKey, publicKey: fromBase64url(x), sign: (data) => sign(privateKey, data) }
}

export async function sign(privateKey: CryptoKey, data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(ED25519, privateKey, source(data)))
}

/**
 * False for anything wrong, a key that is no key included. Small-order and non-canonical points are refused here,
 * because engines differ about them and members must not.
 */
export async function verify(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (publicKey.length !== VERIFYING_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
  if (!isUsablePoint(publicKey) || !isUsablePoint(signature.subarray(0, 32))) return false
  const key = await verifyingKey(publicKey)
  if (key === undefined) return false
  return crypto.subtle.verify(ED25519, key, source(signature), source(data))
}

async function verifyingKey(bytes: Uint8Array): Promise<CryptoKey | undefined> {
  const name = String.fromCharCode(...bytes) // a large tree asks for two thousand
  const known = cachedKeys.get(name)
  if (known !== undefined) return known
  let key: CryptoKey
  try {
    key = await crypto.subtle.importKey('raw', source(bytes), ED25519, true, ['verify'])
  } catch {
    return undefined // not a point of the curve
  }
  // All at once: finding the oldest among keys that went takes longer than reading one in.
  if (cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.clear()
  cachedKeys.set(name, key)
  return key
}
