import { Hono } from 'hono'
import { toBase64url } from '#core/bytes/base64url.ts'
import { PROTOCOL_VERSION } from '#core/wire/versions.ts'
import type { Env } from '../env.ts'
import { noiseKeyPair } from '../secrets.ts'

/** What the realm says of itself, for whoever has no link to it: a key learned here is unverified (T-01). */
export const realm = new Hono<{ Bindings: Env }>().get('/', async (c) => {
  const { publicKey } = await noiseKeyPair(c.env)
  c.header('access-control-allow-origin', '*')
  c.header('cache-control', 'no-store')
  return c.json({ version: PROTOCOL_VERSION, noiseKey: toBase64url(publicKey) })
})
