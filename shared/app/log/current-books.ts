import type { Delta, DeltaOf } from '#core/log/delta.ts'
import { readRealm } from '../account/read-account.ts'
import type { ChannelRecord, ContactRecord, ReadRecord, RealmRecord, SettingsRecord } from '../ports/records.ts'
import type { RowKey, Store } from '../ports/store.ts'
import type { OwnLog } from './own-log.ts'

const DAY_MS = 86_400_000
/** Rows of `logged`, by what they are about; what they say of it lies in the store's own tables. */
export const OWN_DEVICE: RowKey = ['device', 'own']
export const SETTINGS: RowKey = ['settings', 'settings']
export const PROFILE: RowKey = ['profile', 'profile']

/** Bookkeeping as the store has it; its stamp is not in it. */
export type Book = { readonly key: RowKey; readonly delta: Delta }

export async function currentBooks(store: Pick<Store, 'get' | 'list'>, own: OwnLog, nowMs: number): Promise<Book[]> {
  const [contacts, channels, syncs, reads, settings, realm] = await Promise.all([
    store.list('contacts'),
    store.list('channels'),
    store.list('syncs'),
    store.list('reads'),
    store.get('settings', 'settings'),
    readRealm(store),
  ])
  const channelOf = new Map(channels.map(({ key, record }) => [String(key), record]))
  const books: Book[] = [
    { key: OWN_DEVICE, delta: deviceDelta(own, realm, nowMs) },
    { key: PROFILE, delta: { kind: 'profile', at: 0, name: own.account.name } },
  ]
  if (settings !== undefined) books.push({ key: SETTINGS, delta: settingsDelta(settings) })
  for (const { key, record } of contacts) books.push({ key: ['contact', String(key)], delta: contactDelta(record) })
  const unsettled = new Set(
    syncs.filter(({ record }) => record.reentry !== undefined || record.opening).map(({ key }) => key),
  )
  for (const [id, record] of channelOf) {
    // Told when its entry has the token that stays: without one, others would tell their older one as news.
    const delta = unsettled.has(id) ? undefined : channelDelta(record)
    if (delta !== undefined) books.push({ key: ['channel', id], delta })
  }
  for (const { key, record } of reads) {
    if (unsettled.has(key)) continue // where it lies may change until it is opened there
    const delta = readDelta(channelOf.get(String(key)), record)
    if (delta !== undefined) books.push({ key: ['read', String(key)], delta })
  }
  return books
}

export function contactDelta(record: ContactRecord): DeltaOf<'contact'> {
  const { account, name, manifest, sequence, verified, blocked } = record
  const words = { ...(verified && { verified }), ...(blocked && { blocked }) }
  return { kind: 'contact', at: 0, account, name, manifest, sequence, ...words }
}

/** What lies on this device alone is not told, nor is a channel that nobody else has come into yet, nor an entry that is not the account's alone. */
export function channelDelta(record: ChannelRecord): DeltaOf<'channel'> | undefined {
  const { address, kind, title, entry, logged = 0, state, request, left, repaired, muted, archived } = record
  if (address === undefined || kind === 'notes' || state === 'joining') return undefined
  if (request !== undefined) return undefined // not before the person has said yes (M-11)
  return {
    kind: 'channel',
    at: 0,
    address,
    channel: kind,
    title,
    upTo: logged,
    ...(entry === undefined ? {} : { entry }),
    ...(left === 'left' ? { left: true } : {}),
    ...(repaired && { repaired }),
    ...(muted && { muted }),
    ...(archived && { archived }),
    ...namedDelta(record),
  }
}

/** Told once the relay has borne them out: what nobody could use is no news. */
function namedDelta({ named }: ChannelRecord): Pick<DeltaOf<'channel'>, 'named'> {
  if (named?.keys === undefined || !named.proven) return {}
  return { named: { name: named.name, ...named.keys } }
}

/** Its count of lines is this device's own. */
export function readDelta(channel: ChannelRecord | undefined, { order }: ReadRecord): DeltaOf<'read'> | undefined {
  if (channel?.address === undefined || channel.kind === 'notes' || order < 0) return undefined
  return { kind: 'read', at: 0, channel: channel.address, order: Math.floor(order), theirs: 0 }
}

export function settingsDelta(settings: SettingsRecord): DeltaOf<'settings'> {
  const plain = Object.entries(settings).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return { kind: 'settings', at: 0, values: Object.fromEntries(plain) }
}

function deviceDelta({ device }: OwnLog, realm: RealmRecord | undefined, nowMs: number): DeltaOf<'device'> {
  const { deviceId, deviceName, deviceKind, linkedBy } = device
  return {
    kind: 'device',
    at: 0,
    deviceId,
    name: deviceName,
    device: deviceKind,
    ...(linkedBy === undefined ? {} : { linkedBy }),
    seenDay: Math.floor(nowMs / DAY_MS),
    ...(realm?.mailboxCloser === undefined ? {} : { closer: { address: realm.mailbox, token: realm.mailboxCloser } }),
  }
}
