import { Hono } from 'hono'
import type { Env } from './env.ts'
import { connect } from './routes/connect.ts'
import { health } from './routes/health.ts'
import { realm } from './routes/realm.ts'

export { Account } from './objects/account.ts'
export { Channel } from './objects/channel.ts'
export { Directory } from './objects/directory.ts'
export { Log } from './objects/log.ts'
export { Mailbox } from './objects/mailbox.ts'
export { Realm } from './objects/realm.ts'
export { Rendezvous } from './objects/rendezvous.ts'
export { Session } from './objects/session.ts'
export { Transparency } from './objects/transparency.ts'

export default new Hono<{ Bindings: Env }>().route('/v1', connect).route('/healthz', health).route('/realm.json', realm)
