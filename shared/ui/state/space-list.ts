import type { ChannelView } from '#app/face.ts'
import { isPutAway } from './channel-order.ts'

/** What the channel list shows under one name (C-10). */
export type SpaceItem = {
  readonly id: string // of its home
  readonly title: string
  readonly avatar?: Uint8Array // the home's: it is in that group's own state
  readonly unread: number // of what is not muted
  readonly asking: number // who wait to be let in (C-09)
  readonly channels: readonly ChannelView[] // the home first, the others by name
}
export type ListItem =
  | { readonly is: 'channel'; readonly channel: ChannelView }
  | ({ readonly is: 'space' } & SpaceItem)

/**
 * Channels of one space stand together, where the first of them would. Within it they keep their places, so that each is found again.
 * `all`: what the list does not show now may still name the space.
 */
export function withSpaces(shown: readonly ChannelView[], all: readonly ChannelView[]): readonly ListItem[] {
  const homes = new Map(all.map((channel) => [channel.id, channel]))
  const placed = new Set<string>()
  return shown.flatMap((channel): ListItem[] => {
    const id = channel.space?.id
    if (id === undefined) return [{ is: 'channel', channel }]
    if (placed.has(id)) return []
    placed.add(id)
    const channels = shown.filter(({ space }) => space?.id === id).toSorted((a, b) => inSpace(a, b, id))
    const unread = channels.reduce((sum, one) => sum + (one.muted === undefined ? one.unread : 0), 0)
    const asking = channels.reduce((sum, one) => sum + (one.asking ?? 0), 0)
    const { title = '', avatar } = homes.get(id) ?? {}
    return [{ is: 'space', id, title, unread, asking, channels, ...(avatar && { avatar }) }]
  })
}

/** Each with a place that no message moves, and none that is put away (M-11). */
export function spacesByTitle(all: readonly ChannelView[]): readonly SpaceItem[] {
  const spaces = withSpaces(
    all.filter((channel) => !isPutAway(channel)),
    all,
  ).flatMap((item) => (item.is === 'space' ? [item] : []))
  return spaces.toSorted((a, b) => a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1))
}

function inSpace(a: ChannelView, b: ChannelView, home: string): number {
  return Number(b.id === home) - Number(a.id === home) || a.title.localeCompare(b.title)
}

/** Folded, it shows the channel that is open. */
export function shownOf({ channels }: SpaceItem, isFolded: boolean, currentId: string | undefined) {
  return isFolded ? channels.filter(({ id }) => id === currentId) : channels
}

/** As the list's focus knows it. */
export const spaceKey = (id: string): string => `space ${id}`

const KEY = 'stave.folded'

/** Which spaces are folded, on this device. Their ids say nothing about anybody. */
export function recallFolded(): ReadonlySet<string> {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [])
  } catch {
    return new Set()
  }
}

export function rememberFolded(ids: ReadonlySet<string>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...ids]))
  } catch {
    // Where storage is refused, all of them are open next time.
  }
}
