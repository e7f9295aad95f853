import { describe, expect, it } from 'vitest'
import type { ChannelView } from '#app/face.ts'
import { orderChannels } from '#ui/state/channel-order.ts'

function channel(id: string, lastAtMs: number, unread = 0): ChannelView {
  return { id, kind: 'direct', title: id, state: 'open', lastText: '', lastAtMs, lastState: 'none', unread, draft: '' }
}
const ids = (channels: readonly ChannelView[]) => channels.map(({ id }) => id).join(' ')

describe('the order of the list', () => {
  it('[FACE] unread first, then the most recent', () => {
    expect(ids(orderChannels([channel('a', 1), channel('b', 3), channel('c', 2, 5)], undefined))).toBe('c b a')
  })

  it('[L-02] notes to self stand at the top, whatever is unread', () => {
    const notes: ChannelView = { ...channel('n', 0), kind: 'notes' }
    expect(ids(orderChannels([channel('a', 9, 4), notes], undefined))).toBe('n a')
  })

  it('[FACE] nothing moves under the pointer; what is new comes on top', () => {
    const now = [channel('a', 9), channel('b', 3), channel('c', 2), channel('new', 1)]
    expect(ids(orderChannels(now, ['c', 'b', 'a']))).toBe('new c b a')
  })
})
