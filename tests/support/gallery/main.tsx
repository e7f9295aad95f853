import { signal } from '@preact/signals'
import type { Problem, Settings } from '#app/face.ts'
import { mountFace } from '#ui/mount.tsx'
import { createMemoryRouter, parseRoute } from '#ui/state/router.ts'
import { MemoryFace } from '../memory-face.ts'
import { sampleFace } from './sample.ts'

/** Shows any screen from its query: ?shell= &at=/c/rowing &account= &theme= &language= &density= &connection= &invited &scanner &update &first &linked &linking= &restoring &perishable &lock. */
const query = new URLSearchParams(location.search)
const nowMs = Date.now()
const account = query.get('account') ?? 'ready'
const face = account === 'ready' ? sampleFace(nowMs) : new MemoryFace()
face.nowMs = nowMs
if (query.has('empty')) face.channelsById.clear()
if (query.has('notes')) face.addChannel('notes', '', [], { kind: 'notes' })
if (query.has('unsaved') && face.accountView.state === 'ready')
  face.accountView = { ...face.accountView, backedUp: false }
if (account === 'locked') face.accountView = { state: 'locked', doors: ['passphrase', 'passkey'] }
else if (account === 'revoked') face.accountView = { state: 'revoked' }
else if (account !== 'ready' && account !== 'none') face.accountView = { state: 'blocked', problem: account as Problem }
if (query.has('perishable') && face.accountView.state === 'ready')
  face.accountView = { ...face.accountView, backedUp: false, persistent: false }
if (query.has('linked') && face.accountView.state === 'ready')
  face.accountView = { ...face.accountView, holdsRoot: false }
if (query.has('restoring')) {
  const state = query.get('restoring') === 'stopped' ? 'stopped' : 'running'
  face.workNow = [{ kind: 'restore', done: 3180, total: 12_400, state }]
}
const linking = query.get('linking')
if (linking === 'showing') await face.showLink({ deviceName: 'Chrome on Linux' })
if (linking === 'new' || linking === 'holder') face.compare(linking, 'Firefox on Android')
if (linking === 'failed') face.linkingNow = { state: 'failed', why: 'link/expired' }
if (query.has('lock')) face.lockNowView = { state: 'unlocked', by: 'passphrase', afterMinutes: 5 }
const connection = query.get('connection')
if (connection === 'offline' || connection === 'connecting') face.connectionNow = { state: connection }
if (connection === 'refused') face.connectionNow = { state: 'refused', why: 'older-client' }
face.settingsNow = {
  ...face.settingsNow,
  theme: (query.get('theme') ?? 'auto') as Settings['theme'],
  language: (query.get('language') ?? 'auto') as Settings['language'],
  density: (query.get('density') ?? 'comfortable') as Settings['density'],
}

// A browser that reads codes, and a camera that sees none.
if (query.has('scanner')) Object.assign(globalThis, { BarcodeDetector: class {} })

declare global {
  interface Window {
    face: MemoryFace
  }
}
window.face = face

const root = document.getElementById('app')
const link = query.has('invited') ? 'https://stave.example/i#waiting' : undefined
const shellKind = (query.get('shell') ?? 'web') as 'web' | 'popup' | 'panel'
if (root !== null) {
  mountFace(root, face, {
    kind: shellKind,
    router: createMemoryRouter(parseRoute(query.get('at') ?? '/')),
    version: '0.1.0',
    ...(link === undefined ? {} : { invitationLink: link }),
    ...(shellKind === 'popup' ? { openFullView: () => undefined } : {}),
    ...(query.has('update') ? { update: { available: signal(true), apply: () => undefined } } : {}),
    takeSharedText: async () => query.get('shared') ?? '',
    phraseWords: async () => face.words,
    phraseReader: async () => (await import('#core/keys/read-phrase.ts')).readPhrase,
    passkeys: async () => true,
  })
}
