import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'

export class Session extends DurableObject {}
export class Mailbox extends DurableObject {}
export class Channel extends DurableObject {}
export class Account extends DurableObject {}
export class Directory extends DurableObject {}
export class Realm extends DurableObject {}

const app = new Hono()
app.get('/healthz', (context) => context.json({ ok: true }))

export default app
