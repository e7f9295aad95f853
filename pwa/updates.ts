import { Workbox } from 'workbox-window'
import { trustedScriptUrl } from '#web/trusted.ts'

/** Tells when a newer version waits; calling what it hands over takes it and loads every open page anew (U-02). */
export async function watchForUpdates(onUpdate: (take: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const workbox = new Workbox(trustedScriptUrl('/sw.js'))
  workbox.addEventListener('waiting', () => onUpdate(() => workbox.messageSkipWaiting()))
  await workbox.register()
}
