import type { Changes } from '#app/ports/changes.ts'

/** One notification at a time, without content (K-10, T-08), and only while nobody looks. */
export function notifyWhenHidden(changes: Changes): void {
  changes.subscribe((change) => {
    if (change.what !== 'arrived' || !document.hidden || globalThis.Notification?.permission !== 'granted') return
    void navigator.serviceWorker?.ready.then((registration) =>
      registration.showNotification('Stave', {
        tag: 'stave-arrived',
        icon: '/icon-192.png',
        data: { url: `/c/${change.channelId}` },
      }),
    )
  })
}
