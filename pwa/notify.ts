import type { Changes } from '#app/ports/changes.ts'
import { ARRIVED_TAG } from './show-arrived.ts'

/** Each page knows of itself alone whether anybody looks: the service worker, which knows of all, decides. */
export function notifyWhenHidden(changes: Changes): void {
  changes.subscribe((change) => {
    if (change.what !== 'arrived' || globalThis.Notification?.permission !== 'granted') return
    void navigator.serviceWorker?.ready.then(({ active }) =>
      active?.postMessage({ type: 'ARRIVED', channelId: change.channelId }),
    )
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void putAway()
  })
}

/** Whoever looks needs to be told of nothing. */
async function putAway(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registration?.getNotifications({ tag: ARRIVED_TAG })) ?? []) shown.close()
}
