import { fromBase64url } from '#core/bytes/base64url.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import type { DhKeyPair } from '#core/crypto/x25519.ts'
import { staticKeyPair } from '#core/noise/handshake.ts'
import type { Env } from './env.ts'

/** The realm's secrets, decoded once in each isolate. They live in the environment, never in a database. */
const decoded = new Map<string, Uint8Array>()

function decode(secret: string): Uint8Array {
  let bytes = decoded.get(secret)
  if (bytes === undefined) {
    bytes = fromBase64url(secret)
    decoded.set(secret, bytes)
  }
  return bytes
}

export function dropKey(env: Env): Uint8Array {
  return decode(env.DROP_KEY)
}

export function incarnation(env: Env): Uint8Array {
  return decode(env.INCARNATION)
}

/** Made once in each isolate, as the others are decoded. */
const signing = new Map<string, Promise<SigningKey>>()

export function listKey(env: Env): Promise<SigningKey> {
  let key = signing.get(env.LIST_KEY)
  if (key === undefined) {
    key = signingKeyFromSeed(fromBase64url(env.LIST_KEY))
    signing.set(env.LIST_KEY, key)
  }
  return key
}

export function noiseKeyPair(env: Env): Promise<DhKeyPair> {
  return staticKeyPair(fromBase64url(env.NOISE_KEY))
}
