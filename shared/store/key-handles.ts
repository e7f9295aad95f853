import { createStore, del, get, keys, set } from 'idb-keyval'
import type { KeyHandles } from '#app/ports/keys.ts'

/** CryptoKey handles in a database of their own: structured cloning keeps them unexportable. */
export function makeKeyHandles(name = 'stave-keys'): KeyHandles {
  const store = createStore(name, 'handles')
  return {
    load: (key) => get<CryptoKey>(key, store),
    save: (key, handle) => set(key, handle, store),
    remove: (key) => del(key, store),
    names: () => keys<string>(store),
  }
}
