import type { Change, Changes } from '#app/ports/changes.ts'

const CHANNEL = 'stave-changes'

/** Changes across all contexts of an origin: tabs, workers, popup, side panel, background. */
export function makeBroadcastChanges(): Changes {
  const channel = new BroadcastChannel(CHANNEL)
  return {
    announce: (change) => channel.postMessage(change),
    subscribe: (listener) => {
      const hear = (event: MessageEvent<Change>): void => listener(event.data)
      channel.addEventListener('message', hear)
      return () => channel.removeEventListener('message', hear)
    },
  }
}
