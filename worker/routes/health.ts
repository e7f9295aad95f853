import { Hono } from 'hono'

/** That it runs, and nothing else. */
export const health = new Hono().get('/', (c) => c.json({ ok: true }))
