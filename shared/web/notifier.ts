import type { Changes } from '#app/ports/changes.ts'
import type { Notifier } from '#app/ports/notifier.ts'

type Badge = { setAppBadge?(count?: number): Promise<void>; clearAppBadge?(): Promise<void> }

/** The app's badge from the engine's worker; pages hand on that something arrived. */
export function makeWebNotifier(changes: Changes): Notifier {
  const badge = navigator as Badge
  return {
    unread: (total) => {
      const shown = total > 0 ? badge.setAppBadge?.(total) : badge.clearAppBadge?.()
      shown?.catch(() => undefined) // not installed: nothing to put a badge on
    },
    arrived: (channelId) => changes.announce({ what: 'arrived', channelId }),
  }
}
