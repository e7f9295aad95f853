import { localFace } from '#app/face/local-face.ts'
import type { Face } from '#app/face.ts'
import { systemDice } from '#core/crypto/random.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeBroadcastBridge } from '#web/broadcast-bridge.ts'
import { makeBroadcastChanges } from '#web/broadcast-changes.ts'
import { systemClock } from '#web/clock.ts'
import { lateAgeSeal } from '#web/late-age-seal.ts'
import { makeTabsMemory } from '#web/lock-memory.ts'
import { webPasskeys } from '#web/passkey.ts'
import { askPersistence, isPersistent, isSupported } from '#web/support.ts'
import { trustedScriptUrl } from '#web/trusted.ts'
import engineUrl from './engine.worker.ts?worker&url'
import { notifyWhenHidden } from './notify.ts'

/** All the wiring there is: ports to adapters, and the worker in which the engine runs or waits for its turn. */
export async function bootFace(): Promise<Face> {
  const changes = makeBroadcastChanges()
  if (isSupported()) {
    hostEngine()
    notifyWhenHidden(changes)
  }
  return localFace({
    store: new SealedStore(new IdbRows(), makeKeyHandles(), makeTabsMemory(systemClock)),
    bridge: makeBroadcastBridge(),
    changes,
    clock: systemClock,
    dice: systemDice,
    askPersistence,
    isPersistent,
    supported: isSupported,
    kind: 'web',
    passkeys: webPasskeys,
    archiveSeal: lateAgeSeal,
  })
}

/**
 * The worker ends with its page at once, also when the page is only put aside: the lock is free without waiting for the
 * browser to take the tab down, and a page that sleeps keeps it from nobody (U-04).
 */
function hostEngine(): void {
  const start = () => new Worker(trustedScriptUrl(engineUrl), { type: 'module', name: 'stave-engine' })
  let worker = start()
  window.addEventListener('pagehide', () => worker.terminate())
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) worker = start()
  })
}
