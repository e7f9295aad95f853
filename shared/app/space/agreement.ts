import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { AccountId, Address } from '#core/wire/ids.ts'
import type { ChannelRecord, SyncRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** A channel with its id here. */
export type Part = { readonly id: string; readonly channel: ChannelRecord }
export type Home = Part & { readonly channels: readonly Address[] }
/** What a device knows of who is in a channel. */
export type Place = Pick<ChannelRecord, 'roles'> & Pick<SyncRecord, 'accounts'>

export async function partsIn(store: Pick<Store, 'list'>): Promise<readonly Part[]> {
  return (await store.list('channels')).map(({ key, record }) => ({ id: String(key), channel: record }))
}

/** By their addresses. */
export function homesIn(parts: readonly Part[]): ReadonlyMap<string, Home> {
  return new Map(
    parts.flatMap((part): [string, Home][] => {
      const { space, address } = part.channel
      return space?.is === 'home' && address !== undefined
        ? [[toHex(address), { ...part, channels: space.channels }]]
        : []
    }),
  )
}

/** The home that the channel names, whether or not that says so too. */
export function namedBy({ space }: ChannelRecord, homes: ReadonlyMap<string, Home>): Home | undefined {
  return space?.is === 'channel' ? homes.get(toHex(space.home)) : undefined
}

export function lists({ channels }: Home, { address }: ChannelRecord): boolean {
  return address !== undefined && channels.some((one) => equalBytes(one, address))
}

/** SPC2: of a space where both say so, and their members were found to be the same once. */
export function homeOf(channel: ChannelRecord, homes: ReadonlyMap<string, Home>): Home | undefined {
  const home = namedBy(channel, homes)
  return home !== undefined && channel.spaceSeen === true && lists(home, channel) ? home : undefined
}

/** @returns the id of the space's home, for a channel of one */
export async function homeIdOf(store: Pick<Store, 'get' | 'list'>, id: string): Promise<string | undefined> {
  const channel = await store.get('channels', id)
  if (channel?.space?.is !== 'channel') return undefined
  return homeOf(channel, homesIn(await partsIn(store)))?.id
}

/** SPC3: nobody is in the channel who is not in the home, and nobody is more there than a member who is no more in the home. */
export function isWithin(channel: Place, home: Place): boolean {
  const has = ({ accounts }: Place, one: AccountId) => accounts.some(({ account }) => equalBytes(account, one))
  const isMore = ({ roles = [] }: Place, one: AccountId) =>
    roles.some(({ account, role }) => role !== 'member' && equalBytes(account, one))
  return channel.accounts.every(
    ({ account }) => has(home, account) && (!isMore(channel, account) || isMore(home, account)),
  )
}
