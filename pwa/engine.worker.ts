import { EngineHost } from '#app/lock/engine-host.ts'
import { systemDice } from '#core/crypto/random.ts'
import { makeBrowserRelay } from '#net/browser-relay.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { serveBroadcastBridge } from '#web/broadcast-bridge.ts'
import { makeBroadcastChanges } from '#web/broadcast-changes.ts'
import { systemClock } from '#web/clock.ts'
import { makeTabsMemory } from '#web/lock-memory.ts'
import { makeWebNotifier } from '#web/notifier.ts'
import { becomeWriter } from '#web/writer-lock.ts'

/** Every tab has one of these waiting; the one that gets the lock runs the engine until its tab is closed (U-04). */
const memory = makeTabsMemory(systemClock) // also while it waits: the tab that unlocked may be closed by then (K-10)
await becomeWriter()
const changes = makeBroadcastChanges()
const handles = makeKeyHandles()
const engine = new EngineHost({
  store: new SealedStore(new IdbRows(), handles, memory),
  handles,
  relay: makeBrowserRelay(systemClock),
  clock: systemClock,
  dice: systemDice,
  changes,
  notifier: makeWebNotifier(changes),
  defaultOrigin: self.location.origin,
  joinsAtOnce: true,
})
serveBroadcastBridge((name, args) => engine.request(name, args))
self.addEventListener('online', () => engine.wake())
await engine.start()
