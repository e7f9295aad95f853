import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { Role } from '#core/mls/index.ts'
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

export function lists({ channels }: Pick<Home, 'channels'>, { address }: ChannelRecord): boolean {
  return address !== undefined && channels.some((one) => equalBytes(one, address))
}

/** This account is in it, and stays. */
export function isOpen({ state, left, leaving, request }: ChannelRecord): boolean {
  return state === 'open' && left === undefined && leaving !== true && request === undefined
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
  const here = rolesIn(home)
  return [...rolesIn(channel)].every(([name, role]) => {
    const ofHome = here.get(name)
    return ofHome !== undefined && (role === 'member' || ofHome !== 'member')
  })
}

/** Of everybody who is in it, by the names of accounts. Whoever has a role and is not there (yet) is not in it. */
export function rolesIn({ accounts, roles = [] }: Place): ReadonlyMap<string, Role> {
  const more = new Map(roles.map(({ account, role }) => [nameOf(account), role]))
  return new Map(
    accounts.map(({ account }) => {
      const name = nameOf(account)
      return [name, more.get(name) ?? 'member']
    }),
  )
}

/** To be told apart fast: of a thousand in 64 channels each is asked for several times. */
export function nameOf(account: AccountId): string {
  return String.fromCharCode(...account)
}
