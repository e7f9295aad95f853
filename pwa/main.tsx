import { signal } from '@preact/signals'
import { mountFace, prepareFace } from '#ui/mount.tsx'
import { createPathRouter, parseRoute } from '#ui/state/router.ts'
import { hasPasskeys } from '#web/passkey.ts'
import { version } from '../package.json'
import { bootFace } from './boot.ts'
import { takeSharedText } from './shared-text.ts'
import { watchForUpdates } from './updates.ts'

prepareFace()

/** The secret of a link is in its fragment: read once, then gone from the address bar and the history (C-12, K-06). */
function takeLink(): { readonly invitationLink?: string; readonly deviceLink?: string } {
  const { href, pathname, hash, search } = location
  const { at } = parseRoute(pathname)
  if (hash !== '' || search !== '') history.replaceState(history.state, '', pathname)
  if (hash.length < 2) return {}
  return at === 'accept' ? { invitationLink: href } : at === 'link' ? { deviceLink: href } : {}
}

const links = takeLink()
const router = createPathRouter(window)
const isUpdateReady = signal(false)
let takeUpdate = () => {}

const root = document.getElementById('app')
if (root !== null) {
  mountFace(root, await bootFace(), {
    kind: 'web',
    router,
    version,
    update: { available: isUpdateReady, apply: () => takeUpdate() },
    ...links,
    ...('Notification' in globalThis
      ? { notifications: { state: () => Notification.permission, ask: () => Notification.requestPermission() } }
      : {}),
    takeSharedText,
    phraseWords: async () => (await import('@scure/bip39/wordlists/english.js')).wordlist,
    phraseReader: async () => (await import('#core/keys/read-phrase.ts')).readPhrase,
    passkeys: hasPasskeys,
  })
}

navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (data?.type === 'OPEN' && typeof data.path === 'string') router.go(parseRoute(data.path.split('#')[0] ?? '/'))
})

// Where a service worker is refused, Stave still works as long as its address answers.
await watchForUpdates((take) => {
  takeUpdate = take
  isUpdateReady.value = true
}).catch(() => undefined)
