import { browser } from 'wxt/browser'
import { mountFace, prepareFace } from '#ui/mount.tsx'
import { createMemoryRouter, parseRoute } from '#ui/state/router.ts'
import { hasPasskeys } from '#web/passkey.ts'
import { bootFace } from '../../boot.ts'

prepareFace()

// The side panel opens only within the click, so its window is known before.
const currentWindow = browser.windows.getCurrent()
let windowId: number | undefined
currentWindow.then((found) => {
  windowId = found.id
})

function openFullView(): void {
  const { sidebarAction } = browser as { sidebarAction?: { open(): Promise<void> } }
  const opened = sidebarAction?.open() ?? (windowId === undefined ? undefined : browser.sidePanel.open({ windowId }))
  const close = () => window.close()
  opened?.then(close, close)
}

const root = document.getElementById('app')
if (root !== null) {
  mountFace(root, await bootFace(), {
    kind: 'popup',
    router: createMemoryRouter(parseRoute(location.hash.slice(1))),
    version: browser.runtime.getManifest().version,
    openFullView,
    phraseWords: async () => (await import('@scure/bip39/wordlists/english.js')).wordlist,
    phraseReader: async () => (await import('#core/keys/read-phrase.ts')).readPhrase,
    passkeys: hasPasskeys,
  })
}
