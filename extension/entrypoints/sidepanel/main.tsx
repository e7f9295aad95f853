import { browser } from 'wxt/browser'
import { mountFace, prepareFace } from '#ui/mount.tsx'
import { createMemoryRouter, parseRoute } from '#ui/state/router.ts'
import { hasPasskeys } from '#web/passkey.ts'
import { bootFace } from '../../boot.ts'

prepareFace()

const root = document.getElementById('app')
if (root !== null) {
  mountFace(root, await bootFace(), {
    kind: 'panel',
    router: createMemoryRouter(parseRoute(location.hash.slice(1))),
    version: browser.runtime.getManifest().version,
    phraseWords: async () => (await import('@scure/bip39/wordlists/english.js')).wordlist,
    phraseReader: async () => (await import('#core/keys/read-phrase.ts')).readPhrase,
    passkeys: hasPasskeys,
  })
}
