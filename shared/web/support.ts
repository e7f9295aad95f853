/** Is everything here that Stave can't do without? (U-07) */
export function isSupported(): boolean {
  return (
    typeof indexedDB !== 'undefined' &&
    typeof BroadcastChannel !== 'undefined' &&
    typeof WebSocket !== 'undefined' &&
    'locks' in navigator &&
    'subtle' in crypto
  )
}

/** Does the browser promise to keep the data? Where it can't say, it may clear them. */
export async function isPersistent(): Promise<boolean> {
  return (await navigator.storage?.persisted?.()) ?? false
}

/** Asks the browser not to clear the data by itself. */
export async function askPersistence(): Promise<'granted' | 'refused' | 'unsupported'> {
  if (navigator.storage?.persist === undefined) return 'unsupported'
  return (await navigator.storage.persist()) ? 'granted' : 'refused'
}
