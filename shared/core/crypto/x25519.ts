import { fromBase64url } from '../bytes/base64url.ts'
import { toHex } from '../bytes/hex.ts'
import { wipe } from '../bytes/wipe.ts'
import { CryptoError, WireError } from '../errors.ts'
import { toPkcs8 } from './pkcs8.ts'
import { source } from './source.ts'

export type DhKeyPair = { readonly privateKey: CryptoKey; readonly publicKey: Uint8Array }

export const X25519_KEY_BYTES = 32
const BASE_POINT = Uint8Array.of(9, ...new Uint8Array(31)) // RFC 7748 section 4.1

/** A key whose private half never leaves WebCrypto (K-04). */
export async function generateDhKeyPair(): Promise<DhKeyPair> {
  const pair = (await crypto.subtle.generateKey({ name: 'X25519' }, false, ['deriveBits'])) as CryptoKeyPair
  const publicKey = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
  return { privateKey: pair.privateKey, publicKey }
}

/** The private half is imported non-extractable; the caller wipes its bytes. */
export async function dhKeyPairFrom(privateBytes: Uint8Array): Promise<DhKeyPair> {
  const encoded = toPkcs8('X25519', privateBytes)
  const privateKey = await crypto.subtle.importKey('pkcs8', encoded, { name: 'X25519' }, false, ['deriveBits'])
  wipe(encoded)
  return { privateKey, publicKey: await dh(privateKey, BASE_POINT) }
}

/**
 * For one operation with a private key that the caller has as bytes: that of a path, or an ephemeral one. Extractable, because then its
 * JWK tells the public half, without a second multiplication.
 */
export async function passingDhKeyPair(privateBytes: Uint8Array): Promise<DhKeyPair> {
  const encoded = toPkcs8('X25519', privateBytes)
  const privateKey = await crypto.subtle.importKey('pkcs8', encoded, { name: 'X25519' }, true, ['deriveBits'])
  wipe(encoded)
  const { x } = (await crypto.subtle.exportKey('jwk', privateKey)) as { x: string }
  return { privateKey, publicKey: fromBase64url(x) }
}

/**
 * Whether something can be agreed with whoever has the private half: no other length, and no point of low order, on the curve or its
 * twist. Those are u = 0, 1 and -1, and the roots of the quartic, whose double is 1; u is read without its top bit and need not be reduced
 * (RFC 7748 section 5).
 */
export function isDhPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== X25519_KEY_BYTES) return false
  const u = BigInt(`0x${toHex(bytes.toReversed())}`) & (2n ** 255n - 1n)
  const square = u * u
  const quartic = square * (square - 4n * u - 1946650n) - 4n * u + 1n // (u² - 1)² = 4u(u² + 486662u + 1)
  return (u * (square - 1n) * quartic) % (2n ** 255n - 19n) !== 0n
}

/**
 * RFC 7748 section 6.1. A low-order point, which makes the secret zero whatever the private key is, is refused.
 * @throws CryptoError 'x25519/low-order', WireError 'x25519/length'
 */
export async function dh(privateKey: CryptoKey, publicBytes: Uint8Array): Promise<Uint8Array> {
  if (publicBytes.length !== X25519_KEY_BYTES) throw new WireError('x25519/length')
  const algorithm = { name: 'X25519' }
  const publicKey = await crypto.subtle.importKey('raw', source(publicBytes), algorithm, true, [])
  const secret = await derive(privateKey, publicKey)
  let bits = 0
  for (const byte of secret) bits |= byte
  if (bits === 0) throw new CryptoError('x25519/low-order')
  return secret
}

async function derive(privateKey: CryptoKey, publicKey: CryptoKey): Promise<Uint8Array> {
  const algorithm = { name: 'X25519', public: publicKey }
  try {
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, privateKey, X25519_KEY_BYTES * 8))
  } catch (cause) {
    // Engines differ in who checks: most refuse the zero secret themselves, with an error that does not say so.
    throw new CryptoError('x25519/low-order', { cause })
  }
}
