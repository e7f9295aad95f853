import { browser } from 'wxt/browser'
import { EngineHost } from '#app/lock/engine-host.ts'
import { systemDice } from '#core/crypto/random.ts'
import { makeBrowserRelay } from '#net/browser-relay.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeBroadcastChanges } from '#web/broadcast-changes.ts'
import { systemClock } from '#web/clock.ts'
import { becomeWriter } from '#web/writer-lock.ts'
import { watchPresence } from './bridge/presence.ts'
import { serveRuntimeBridge } from './bridge/runtime-bridge.ts'
import { makeExtensionNotifier } from './notifier.ts'
import { makeSessionMemory } from './session-memory.ts'

/** The realm of an extension that no invitation has told of one: chosen when the extension is built. */
const DEFAULT_REALM: string = import.meta.env.STAVE_REALM ?? ''

/** The engine in the background. It keeps nothing that it can't read from the store again, since it is stopped at any time. */
export function startBackground(): { readonly wake: () => void; readonly openFace: () => void } {
  const handles = makeKeyHandles()
  let ready: Promise<void> | undefined
  const isFaceOpen = watchPresence(() => void ready?.then(() => engine.wake()))
  const engine = new EngineHost({
    store: new SealedStore(new IdbRows(), handles, makeSessionMemory(systemClock)),
    handles,
    relay: makeBrowserRelay(systemClock, isFaceOpen),
    clock: systemClock,
    dice: systemDice,
    changes: makeBroadcastChanges(),
    notifier: makeExtensionNotifier(),
    defaultOrigin: DEFAULT_REALM,
    joinsAtOnce: false, // an invitation may yet name another realm
  })
  ready = becomeWriter().then(() => engine.start()) // which never fails: what the disk refuses is tried again
  serveRuntimeBridge(async (name, args) => {
    await ready
    return engine.request(name, args)
  })
  return {
    wake: () => void ready?.then(() => engine.wake()),
    openFace: () => void browser.tabs.create({ url: `${location.origin}/sidepanel.html` }),
  }
}
