import { WireError } from '../errors.ts'
import {
  ACCOUNT_BYTES,
  type AccountId,
  ADDRESS_BYTES,
  type Address,
  DEVICE_BYTES,
  type DeviceId,
  ENTRY_BYTES,
  type EntryId,
  MESSAGE_ID_BYTES,
  type MessageId,
  TOKEN_BYTES,
  type Token,
} from '../wire/ids.ts'
import { MAX_CHANNEL_NAME_UNITS, MAX_MANIFEST_BYTES, MAX_TEXT_BYTES } from '../wire/limits.ts'
import { bool, bytes, fixed, object, oneOf, optional, type Schema, type TypeOf, text, uint } from '../wire/schema.ts'

/**
 * Delta: one thing that a device tells the account's others through the log (docs/spec/log.md). Deltas commute: merge.ts says
 * what comes of two that are about the same thing. Content and bookkeeping only, never a secret of MLS (I-07).
 */
const MAX_NAME_UNITS = 256
const MAX_SETTINGS = 64
const account = fixed<AccountId>(ACCOUNT_BYTES)
const address = fixed<Address>(ADDRESS_BYTES)
const deviceId = fixed<DeviceId>(DEVICE_BYTES)
const messageId = fixed<MessageId>(MESSAGE_ID_BYTES)
const token = fixed<Token>(TOKEN_BYTES)
const name = text(MAX_NAME_UNITS)
const at = uint() // stamp.ts
/** By the person: of two words the later counts, by its own time (MRG3). */
const word = object({ is: bool, atMs: uint() })

export const deltas = {
  /** `order` is the message's position in its channel, the same on every device. */
  line: object({
    kind: oneOf('line'),
    at,
    channel: address,
    order: uint(),
    messageId,
    author: account,
    atMs: uint(),
    text: text(MAX_TEXT_BYTES),
    state: optional(oneOf('sent', 'delivered')), // of the account's own
    vanishesAtMs: optional(uint()), // by the clock of the device that says so (M-04)
    sharedBy: optional(account), // told by them and proven by nothing (C-11)
  }),
  /** Tombstone: wins over every line of this id. */
  forget: object({ kind: oneOf('forget'), at, channel: address, messageId }),
  channel: object({
    kind: oneOf('channel'),
    at,
    address,
    channel: oneOf('direct', 'group', 'notes'),
    title: name,
    entry: optional(object({ id: fixed<EntryId>(ENTRY_BYTES), token })), // the account's place, by which a device comes back
    upTo: uint(), // the log has the channel's lines up to here
    left: optional(bool),
    repaired: optional(bool), // a device of the account has repaired it (C-06)
    muted: optional(object({ is: bool, atMs: uint(), untilMs: optional(uint()) })), // M-11
    archived: optional(word),
    /** By which the account's devices read and settle requests to join (C-09). */
    named: optional(object({ name: text(MAX_CHANNEL_NAME_UNITS), token, seed: fixed(32) })),
  }),
  contact: object({
    kind: oneOf('contact'),
    at,
    account,
    name,
    manifest: bytes(MAX_MANIFEST_BYTES),
    sequence: uint(),
    verified: optional(word), // K-11
    blocked: optional(word), // M-11
  }),
  read: object({ kind: oneOf('read'), at, channel: address, order: uint(), theirs: uint() }),
  settings: object({ kind: oneOf('settings'), at, values: settingValues() }),
  profile: object({ kind: oneOf('profile'), at, name }),
  device: object({
    kind: oneOf('device'),
    at,
    deviceId,
    name,
    device: oneOf('web', 'extension'),
    linkedBy: optional(deviceId),
    seenDay: uint(), // days since 1970
    closer: optional(object({ address, token })), // shuts its mailbox, should it be revoked
  }),
} as const

export type DeltaKind = keyof typeof deltas
export type DeltaOf<K extends DeltaKind> = TypeOf<(typeof deltas)[K]>
export type Delta = { [K in DeltaKind]: DeltaOf<K> }[DeltaKind]
/** With the device that said it: what ties are decided by. */
export type Dated<D extends Delta = Delta> = { readonly by: DeviceId; readonly delta: D }

export const delta: Schema<Delta> = {
  check: (value) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
    if (typeof kind !== 'string') throw new WireError('log/shape')
    // A later version's: nothing is applied past it, so that a page never leaves out what this one can't read.
    if (!Object.hasOwn(deltas, kind)) throw new WireError('log/newer')
    return deltas[kind as DeltaKind].check(value)
  },
}

/** Settings by name. Which names mean something, the app knows; one that it does not know stays as it is. */
function settingValues(): Schema<Readonly<Record<string, string | number | boolean>>> {
  return {
    check: (value) => {
      if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
        throw new WireError('schema/object')
      }
      const entries = Object.entries(value)
      if (entries.length > MAX_SETTINGS) throw new WireError('schema/list')
      const out: [string, string | number | boolean][] = []
      for (const [key, setting] of entries) {
        if (key.length > MAX_NAME_UNITS) throw new WireError('schema/text')
        if (typeof setting === 'boolean') out.push([key, setting])
        else if (typeof setting === 'string') out.push([key, name.check(setting)])
        else out.push([key, at.check(setting)])
      }
      return Object.fromEntries(out)
    },
  }
}
