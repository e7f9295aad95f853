import { describe, expect, it } from 'vitest'
import type { ChannelView } from '#app/face.ts'
import { parseRoute, routePath } from '#ui/state/router.ts'
import { type ListItem, shownOf, spacesByTitle, withSpaces } from '#ui/state/space-list.ts'

const channel = (id: string, more: Partial<ChannelView> = {}): ChannelView => ({
  id,
  kind: 'group',
  title: id,
  state: 'open',
  lastText: '',
  lastAtMs: 0,
  lastState: 'none',
  unread: 0,
  draft: '',
  ...more,
})
const of = (space: string, id: string, more: Partial<ChannelView> = {}) =>
  channel(id, { space: { id: space }, ...more })
const told = (items: readonly ListItem[]) =>
  items.map((item) =>
    item.is === 'channel'
      ? item.channel.id
      : `${item.title} ${item.unread}: ${item.channels.map(({ id }) => id).join(' ')}`,
  )

describe('[C-10] spaces in the channel list', () => {
  const all = [
    channel('notes'),
    of('home', 'tools', { unread: 2 }),
    channel('rowing'),
    of('home', 'home', { title: 'Sheds' }),
    of('other', 'other', { title: 'Choir', unread: 1 }),
    of('home', 'seeds', { unread: 5, muted: {} }),
  ]

  it('stand together where the first of them would: the home first, the others by name, the sum of what is not muted', () => {
    expect(told(withSpaces(all, all))).toEqual(['notes', 'Sheds 2: home seeds tools', 'rowing', 'Choir 1: other'])
  })

  it('are called as ever when their home is put away', () => {
    const shown = all.filter(({ id }) => id !== 'home')
    expect(told(withSpaces(shown, all))[1]).toBe('Sheds 2: seeds tools')
  })

  it('[A-04] have the picture of their home', () => {
    const avatar = Uint8Array.of(1)
    const [space] = withSpaces([of('home', 'home', { avatar }), of('home', 'tools', { avatar: Uint8Array.of(2) })], all)
    expect(space).not.toHaveProperty('avatar')
    const shown = [of('home', 'home', { avatar })]
    expect(withSpaces(shown, shown)[0]).toHaveProperty('avatar', avatar)
  })

  it('keep their places in the rail, whatever comes and whatever the list shows; put away they are not there', () => {
    const titles = (channels: readonly ChannelView[]) => spacesByTitle(channels).map(({ title }) => title)
    expect(titles(all)).toEqual(['Choir', 'Sheds'])
    expect(titles(all.toReversed().map((one) => ({ ...one, unread: 9, lastAtMs: 5 })))).toEqual(['Choir', 'Sheds'])
    expect(titles(all.map((one) => (one.id === 'other' ? { ...one, archived: true } : one)))).toEqual(['Sheds'])
  })

  it('[C-09] know how many ask to come in', () => {
    const [space] = withSpaces([of('home', 'home', { asking: 2 }), of('home', 'tools')], all)
    expect(space).toMatchObject({ asking: 2 })
  })

  it('folded show nothing but the channel that is open', () => {
    const [, space] = withSpaces(all, all)
    if (space?.is !== 'space') throw new Error('unreachable')
    const ids = (isFolded: boolean, current?: string) => shownOf(space, isFolded, current).map(({ id }) => id)
    expect(ids(false)).toEqual(['home', 'seeds', 'tools'])
    expect(ids(true)).toEqual([])
    expect(ids(true, 'seeds')).toEqual(['seeds'])
  })

  it('[U-02] have addresses', () => {
    for (const route of [{ at: 'newSpace' }, { at: 'space', channelId: 'a/b' }] as const)
      expect(parseRoute(routePath(route))).toEqual(route)
  })
})
