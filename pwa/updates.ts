import { Workbox } from 'workbox-window'
import { trustedScriptUrl } from '#web/trusted.ts'

/** Tells when a newer version waits; calling what it hands over takes it and loads every open page anew (U-02). */
export async function watchForUpdates(onUpdate: (take: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  // Whichever page agreed, every one of them moves at the moment in which the new worker takes them over.
  let isControlled = navigator.serviceWorker.controller !== null
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isControlled) location.reload()
    isControlled = true
  })
  const workbox = new Workbox(trustedScriptUrl('/sw.js'))
  workbox.addEventListener('waiting', () => onUpdate(() => workbox.messageSkipWaiting()))
  await workbox.register()
}
