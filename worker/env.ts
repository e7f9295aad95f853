import type { Account } from './objects/account.ts'
import type { Channel } from './objects/channel.ts'
import type { Directory } from './objects/directory.ts'
import type { Log } from './objects/log.ts'
import type { Mailbox } from './objects/mailbox.ts'
import type { Realm } from './objects/realm.ts'
import type { Rendezvous } from './objects/rendezvous.ts'
import type { Session } from './objects/session.ts'
import type { Transparency } from './objects/transparency.ts'

/** What wrangler.toml and the realm's secrets give. Secrets are base64url; none of them is in a database (T-06). */
export type Env = {
  readonly SESSION: Namespace<Session>
  readonly MAILBOX: Namespace<Mailbox>
  readonly CHANNEL: Namespace<Channel>
  readonly ACCOUNT: Namespace<Account>
  readonly DIRECTORY: Namespace<Directory>
  readonly LOG: Namespace<Log>
  readonly RENDEZVOUS: Namespace<Rendezvous>
  readonly REALM: Namespace<Realm>
  readonly TRANSPARENCY: Namespace<Transparency>
  readonly NOISE_KEY: string // X25519 private key: the realm's identity on the wire (T-01)
  readonly LIST_KEY: string // seed of an Ed25519 key: signs the list of endpoints and heads of the log of manifests
  readonly DROP_KEY: string // seals drops
  readonly INCARNATION: string // changed by every restore
}

/** The part of a Durable Object namespace that the relay uses: small enough that a simulation can be one. */
export interface Namespace<T> {
  idFromName(name: string): ObjectId
  idFromString(id: string): ObjectId
  newUniqueId(): ObjectId
  get(id: ObjectId): Remote<T>
}

export interface ObjectId {
  toString(): string
}

/** An object as seen from another one: its methods, each of them a call that may fail on the way. */
export type Remote<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? K : never]: T[K] extends (
    ...args: infer A
  ) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never
}
