import type { AccountView, ChannelView, Settings } from '#app/face.ts'

export const REMIND_AGAIN_MS = 7 * 24 * 60 * 60 * 1000

type Seen = {
  readonly account: AccountView | undefined
  readonly channels: readonly ChannelView[]
  readonly settings: Settings
  readonly nowMs: number
}

/**
 * What is said while the words are on no paper (K-02): at once where the browser may erase the keys (U-07), elsewhere
 * after the first conversation; put away, not again for a week.
 */
export function reminder({ account, channels, settings, nowMs }: Seen): 'erasure' | 'backup' | undefined {
  if (account?.state !== 'ready' || account.backedUp || !account.holdsRoot) return undefined
  if (nowMs < (settings.remindAfterMs ?? 0)) return undefined
  if (!account.persistent) return 'erasure'
  return channels.some((channel) => channel.kind !== 'notes' && channel.lastText !== '') ? 'backup' : undefined
}
