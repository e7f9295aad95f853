import type { ChannelView } from '#app/face.ts'
import type { Strings } from '../strings/en.ts'

/** Notes to self (L-02) have no other side that could name them. */
export function titleOf(channel: ChannelView, t: Strings): string {
  return channel.kind === 'notes' ? t.notes.title : channel.title
}
