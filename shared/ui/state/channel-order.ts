import type { ChannelView } from '#app/face.ts'

/** Out of the list: archived, or of somebody who is blocked (M-11). */
export function isPutAway(channel: ChannelView): boolean {
  return channel.archived === true || channel.blocked === true
}

/**
 * Notes to self (L-02) have their place at the top. Then unread first, then the most recent.
 *
 * While somebody points at the list, `held` is the order they see: it stays, and only new channels come on top, because
 * nothing moves under the pointer.
 */
export function orderChannels(
  channels: readonly ChannelView[],
  held: readonly string[] | undefined,
): readonly ChannelView[] {
  const place = new Map(held?.map((id, index) => [id, index]))
  return channels.toSorted((a, b) => {
    const notes = Number(b.kind === 'notes') - Number(a.kind === 'notes')
    if (notes !== 0) return notes
    if (held !== undefined) {
      const apart = (place.get(a.id) ?? -1) - (place.get(b.id) ?? -1)
      if (apart !== 0) return apart
    }
    const unread = Number(b.unread > 0) - Number(a.unread > 0)
    return unread !== 0 ? unread : b.lastAtMs - a.lastAtMs
  })
}
