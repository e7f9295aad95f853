import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { InputError } from '#core/errors.ts'
import type { SUITE_CLASSICAL } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import { isVerified } from '../contact/verified.ts'
import type { ChannelDetails, MemberView, RequestView, Role } from '../face.ts'
import { waitedFor } from '../group/waited-for.ts'
import type { ChannelRecord, SyncRecord, Wanted } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { firstToShare } from '../share/earlier-lines.ts'
import { homesIn, partsIn } from '../space/agreement.ts'
import { namedOf } from './join-views.ts'
import { spaceOfDetails } from './space-views.ts'

/** Told by its number alone: faces load no MLS. */
const CLASSICAL: typeof SUITE_CLASSICAL = 0x0001

/** Who is in a channel, what it is, and what this account may do there, from what the last commit has left (C-04, C-13). */
export async function channelDetails(store: Pick<Store, 'get' | 'list'>, id: string): Promise<ChannelDetails> {
  const [channel, sync, own] = await Promise.all([
    store.get('channels', id),
    store.get('syncs', id),
    readAccount(store),
  ])
  if (channel === undefined || own === undefined) throw new InputError('channel/unknown')
  const { kind, state, title, profile } = channel
  const myRole = roleOf(channel, own.account)
  const members = await memberViews(
    store,
    { id, channel, sync },
    { account: own.account, name: own.name, role: myRole },
  )
  const isIn = sync !== undefined && channel.left === undefined && channel.request === undefined
  const moderates = isIn && kind === 'group' && myRole !== 'member'
  const avatar = profile?.avatar
  const space = channel.space && spaceOfDetails(id, channel, homesIn(await partsIn(store)), moderates)
  const isOwnSet = space === undefined || space.id === id // SPC7: members and roles of a space's channel are the home's
  return {
    id,
    kind,
    state,
    title,
    topic: profile?.topic ?? '',
    ...(avatar === undefined || avatar.length === 0 ? {} : { avatar }),
    timerMs: profile?.timerMs ?? 0,
    members: isOwnSet ? members : members.map((member) => ({ ...member, canRemove: false })),
    myRole,
    can: {
      add: moderates && isOwnSet,
      profile: moderates,
      roles: moderates && isOwnSet && myRole === 'owner',
      leave: isIn && isOwnSet && !isLastOwner(members, myRole, kind),
    },
    ...(space && { space }),
    waiting: waitingOf(sync),
    missing: await missingOf(store, sync),
    ...(kind === 'notes' ? {} : ({ keys: channel.suite === CLASSICAL ? 'classical' : 'hybrid' } as const)),
    ...requestOf(channel),
    ...namedOf(channel),
  }
}

/** @returns nothing where there is none to answer */
export function requestOf({ request }: Pick<ChannelRecord, 'request'>): { readonly request?: RequestView } {
  return request === undefined ? {} : { request: { from: toBase64url(request.account), name: request.name } }
}

type Own = { readonly account: AccountId; readonly name: string; readonly role: Role }

async function memberViews(
  store: Pick<Store, 'list'>,
  {
    id,
    channel,
    sync,
  }: { readonly id: string; readonly channel: ChannelRecord; readonly sync: SyncRecord | undefined },
  own: Own,
): Promise<readonly MemberView[]> {
  const contacts = new Map((await store.list('contacts')).map(({ record }) => [toHex(record.account), record]))
  const told = new Map((channel.names ?? []).map(({ account, name }) => [toHex(account), name]))
  const isIn = channel.kind === 'group' && channel.left === undefined && channel.request === undefined
  const first = isIn ? await firstToShare(store, id) : undefined
  const views = (sync?.accounts ?? []).map(({ account, entry, since }): MemberView => {
    const contact = contacts.get(toHex(account))
    const mine = equalBytes(account, own.account)
    const role = roleOf(channel, account)
    const isLater = since !== undefined && first !== undefined && first < since
    const mayShareTo = isLater && !mine && isIn
    const mayRemove = own.role === 'owner' || (own.role === 'admin' && role === 'member')
    return {
      id: toBase64url(account),
      name: mine ? own.name : (contact?.name ?? told.get(toHex(account)) ?? ''),
      role,
      mine,
      devices: sync?.seats.filter((seat) => equalBytes(seat.entry, entry)).length ?? 0,
      known: contact !== undefined,
      verified: contact !== undefined && isVerified(contact),
      canRemove: channel.kind === 'group' && !mine && mayRemove,
      ...(mayShareTo ? { canShareTo: true } : {}),
    }
  })
  return views.sort((a, b) => Number(b.mine) - Number(a.mine) || a.name.localeCompare(b.name))
}

function roleOf({ kind, roles = [] }: ChannelRecord, account: AccountId): Role {
  if (kind !== 'group') return 'owner'
  return roles.find((one) => equalBytes(one.account, account))?.role ?? 'member'
}

function isLastOwner(members: readonly MemberView[], myRole: Role, kind: ChannelRecord['kind']): boolean {
  if (kind !== 'group' || myRole !== 'owner' || members.length < 2) return false
  return !members.some(({ role, mine }) => role === 'owner' && !mine)
}

const NAMES: Readonly<Record<Wanted['want'], ChannelDetails['waiting'][number]>> = {
  heal: 'heal',
  add: 'add',
  person: 'add',
  exclude: 'remove',
  remove: 'remove',
  role: 'roles',
  profile: 'profile',
  list: 'space',
  'leave-space': 'space',
}

async function missingOf(store: Pick<Store, 'list'>, sync: SyncRecord | undefined): Promise<readonly string[]> {
  const ids = new Set(sync === undefined ? [] : waitedFor(sync))
  if (ids.size === 0) return []
  const contacts = await store.list('contacts')
  return contacts.flatMap(({ record }) => (ids.has(toBase64url(record.account)) ? [record.name] : []))
}

function waitingOf(sync: SyncRecord | undefined): ChannelDetails['waiting'] {
  return [...new Set((sync?.wanted ?? []).map(({ want }) => NAMES[want]))]
}
