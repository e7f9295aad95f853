import { Hono } from 'hono'
import type { Env } from '../env.ts'

/** The only path of a client: everything else about it is inside the Noise channel (T-01). */
export const connect = new Hono<{ Bindings: Env }>().get('/', async (c) => {
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') return c.body(null, 426)
  return c.env.SESSION.get(c.env.SESSION.newUniqueId()).fetch(c.req.raw)
})
