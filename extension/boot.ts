import { localFace } from '#app/face/local-face.ts'
import type { Face } from '#app/face.ts'
import { systemDice } from '#core/crypto/random.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeBroadcastChanges } from '#web/broadcast-changes.ts'
import { systemClock } from '#web/clock.ts'
import { lateAgeSeal } from '#web/late-age-seal.ts'
import { webPasskeys } from '#web/passkey.ts'
import { askPersistence, isPersistent, isSupported } from '#web/support.ts'
import { showPresence } from './bridge/presence.ts'
import { makeRuntimeBridge } from './bridge/runtime-bridge.ts'
import { makeSessionMemory } from './session-memory.ts'

/** The wiring of popup and side panel: the store for reading, the background for everything else. */
export async function bootFace(): Promise<Face> {
  showPresence()
  return localFace({
    store: new SealedStore(new IdbRows(), makeKeyHandles(), makeSessionMemory(systemClock)),
    bridge: makeRuntimeBridge(),
    changes: makeBroadcastChanges(),
    clock: systemClock,
    dice: systemDice,
    askPersistence,
    isPersistent,
    supported: isSupported,
    kind: 'extension',
    passkeys: webPasskeys,
    archiveSeal: lateAgeSeal,
  })
}
