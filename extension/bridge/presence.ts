import { browser } from 'wxt/browser'
import { isOwnPage } from './messages.ts'

const PORT = 'stave/face'
const AGAIN_AFTER_MS = 250

/**
 * A face's side: a port says that it is open. When the browser stops the background worker, the port ends with it, and
 * connecting anew starts the worker: what arrives while somebody looks is shown at once.
 */
export function showPresence(): void {
  const port = browser.runtime.connect({ name: PORT })
  port.onDisconnect.addListener(() => setTimeout(showPresence, AGAIN_AFTER_MS))
}

/** The background's side, registered synchronously. @returns whether a face is open now */
export function watchPresence(onChange: () => void): () => boolean {
  let open = 0
  browser.runtime.onConnect.addListener((port) => {
    if (port.name !== PORT || !isOwnPage(port.sender ?? {}, browser.runtime.id, location.origin)) return
    open++
    onChange()
    port.onDisconnect.addListener(() => {
      open--
      onChange()
    })
  })
  return () => open > 0
}
