import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { fingerprint } from '#core/identity/fingerprint.ts'
import { blockedAccounts, isBlocked } from '../contact/block.ts'
import { isVerified } from '../contact/verified.ts'
import { isWaiting } from '../join/ask-to-join.ts'
import { wasPutOut } from '../join/put-out.ts'
import type { JoinRecord } from '../ports/join-records.ts'
import type { ChannelRecord, InvitationRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import type { AskedView, ChannelNamed, InvitedInto, JoinRequestView } from './join-face.ts'

/** Who waits to be let in, the oldest first, and then whose coming in failed and was not read yet. */
export async function joinRequests(
  store: Pick<Store, 'get' | 'list'>,
  channelId: string,
): Promise<readonly JoinRequestView[]> {
  const [rows, contacts, channel] = await Promise.all([
    store.list('joins'),
    store.list('contacts'),
    store.get('channels', channelId),
  ])
  const views = rows.flatMap(({ key, record }): JoinRequestView[] => {
    const state = stateOf(record)
    if (record.channelId !== channelId || state === undefined) return []
    const { person, note, atMs, by } = record
    const known = contacts.find((contact) => equalBytes(contact.record.account, person.account))?.record
    if (isBlocked(known)) return [] // M-11
    return [
      {
        id: String(key),
        channelId,
        by: 'ask' in by ? 'name' : 'invitation',
        personId: toBase64url(person.account),
        name: known?.name ?? person.name,
        fingerprint: fingerprint(person.account),
        known: known !== undefined,
        verified: known !== undefined && isVerified(known),
        ...(channel !== undefined && wasPutOut(channel, person.account) ? { putOut: true as const } : {}),
        note,
        atMs,
        state,
        ...(record.state === 'failed' ? { why: record.why } : {}),
      },
    ]
  })
  return views.sort((a, b) => Number(a.state === 'failed') - Number(b.state === 'failed') || a.atMs - b.atMs)
}

function stateOf(record: JoinRecord): JoinRequestView['state'] | undefined {
  if (record.state === 'failed') return record.told ? undefined : 'failed'
  if (record.state === 'asked') return 'asked'
  return record.state === 'due' || record.state === 'wanted' ? 'coming' : undefined
}

export async function askedViews(store: Pick<Store, 'list'>, nowMs: number): Promise<readonly AskedView[]> {
  const rows = await store.list('asks')
  const views = rows.map(({ key, record }): AskedView => {
    const { name, note, atMs, channelId, sent } = record
    const isOver = !isWaiting(record, nowMs)
    const state = channelId !== undefined ? 'in' : isOver ? 'expired' : sent ? 'waiting' : 'sending'
    return { id: String(key), name, note, atMs, state, ...(channelId === undefined ? {} : { channelId }) }
  })
  return views.sort((a, b) => b.atMs - a.atMs)
}

/** @returns nothing where it has none */
export function namedOf({ named }: Pick<ChannelRecord, 'named'>): { readonly named?: ChannelNamed } {
  if (named === undefined) return {}
  const { name, state, swapped } = named
  return { named: { name, state, ...(swapped && { swapped }) } }
}

/** How many wait to be let in, by channel. */
export async function askingIn(store: Pick<Store, 'list'>): Promise<ReadonlyMap<string, number>> {
  const asked = (await store.list('joins')).filter(({ record }) => record.state === 'asked')
  const counts = new Map<string, number>()
  if (asked.length === 0) return counts
  const blocked = await blockedAccounts(store)
  for (const { record } of asked) {
    if (blocked.has(toBase64url(record.person.account))) continue
    counts.set(record.channelId, (counts.get(record.channelId) ?? 0) + 1)
  }
  return counts
}

/** @param join what came of it, once somebody has claimed it */
export function invitedInto(
  into: NonNullable<InvitationRecord['into']>,
  title: string,
  join: JoinRecord | undefined,
): InvitedInto {
  const state = join === undefined ? 'open' : join.state === 'due' || join.state === 'wanted' ? 'coming' : join.state
  return { ...into, title, state, ...(join?.state === 'failed' ? { why: join.why } : {}) }
}
