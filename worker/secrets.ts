import { fromBase64url } from '#core/bytes/base64url.ts'
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

export function noiseKeyPair(env: Env): Promise<DhKeyPair> {
  return staticKeyPair(fromBase64url(env.NOISE_KEY))
}
