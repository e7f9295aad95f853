import type { ChannelRecord } from '../ports/records.ts'
import { type Home, homeOf } from '../space/agreement.ts'
import type { SpaceOfDetails, SpacePlace } from './space-face.ts'

type Homes = ReadonlyMap<string, Home>

/** SPC2. @returns nothing for a channel of no space */
export function spaceOfView(id: string, channel: ChannelRecord, homes: Homes): { readonly space?: SpacePlace } {
  if (channel.space?.is === 'home') return { space: { id } }
  const home = homeOf(channel, homes)
  return home === undefined ? {} : { space: { id: home.id } }
}

export function spaceOfDetails(
  id: string,
  channel: ChannelRecord,
  homes: Homes,
  mayChange: boolean,
): SpaceOfDetails | undefined {
  if (channel.space?.is === 'home') return { id, title: channel.title, mayChange }
  const home = homeOf(channel, homes)
  return home && { id: home.id, title: home.channel.title, mayChange }
}
