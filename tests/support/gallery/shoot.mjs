import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

/**
 * Screenshots of the built gallery, and axe on every screen:
 *   npx vite build -c tests/support/gallery/vite.config.ts
 *   node tests/support/gallery/shoot.mjs <folder> [part of a name, or 'documents' for those in docs/screenshots]
 * Ends with status 1 when a screen has an accessibility violation or an error on its console.
 */
const root = resolve(import.meta.dirname, '../../../dist/gallery')
const out = resolve(process.argv[2] ?? 'dist/screens')
const only = process.argv[3] ?? ''
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

const server = createServer(async (request, response) => {
  if (request.url === '/favicon.ico') {
    response.writeHead(204).end()
    return
  }
  const path = new URL(request.url ?? '/', 'http://x').pathname
  const file = join(root, path === '/' ? 'index.html' : path)
  try {
    const body = await readFile(file)
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
const address = server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 844 }
const PANEL = { width: 420, height: 800 }
const POPUP = { width: 380, height: 560 }
/** @typedef {import('playwright-core').Page} Page */

/** 24 words whose checksum holds; nobody's. */
const WORDS = `${'abandon '.repeat(23)}art`
/** @param {Page} page */
const fillWords = (page) => page.getByLabel('Word 1', { exact: true }).fill(WORDS)
/** @param {Page} page */
const look = (page) => page.getByRole('button', { name: 'Look up' }).click()
/** @param {Page} page */
async function typeWrongWord(page) {
  await page.getByLabel('Word 1', { exact: true }).fill(WORDS.replace('art', 'gardin'))
  await look(page)
}
/** @param {Page} page */
async function findAccount(page) {
  await page.getByLabel('Word 1', { exact: true }).fill(WORDS)
  await look(page)
}
/** @param {Page} page */
async function addPassphrase(page) {
  await page.getByRole('button', { name: 'Suggest six words' }).click()
  await page.getByRole('button', { name: 'Add passphrase' }).click()
}
/** @param {Page} page */
async function unlockWrongly(page) {
  await page.getByLabel('Passphrase').fill('not this one')
  await page.getByRole('button', { name: 'Unlock', exact: true }).click()
}
/** @param {Page} page */
async function chooseTwo(page) {
  await page.getByLabel('Name of the group').fill('Allotment roof')
  await page.getByRole('checkbox', { name: 'Carpenter' }).check()
  await page.getByRole('checkbox', { name: 'Boat shed' }).check()
}
/** @param {Page} page */
const chooseNobody = (page) => page.getByRole('button', { name: 'Crear el grupo' }).click()
/** @param {Page} page */
const changeName = (page) => page.getByRole('button', { name: 'Change name and topic' }).click()
/** @param {Page} page */
const shareEarlier = (page) => page.getByRole('button', { name: /^(Share earlier|Compartir mensajes)/ }).click()
/** @param {Page} page */
const repair = (page) => page.getByRole('button', { name: 'Repair' }).click()
/** @param {Page} page */
const makeGroupLink = (page) => page.getByRole('button', { name: 'Make a link' }).click()
/** @param {Page} page */
const accept = (page) => page.getByRole('button', { name: /^(Accept|Aceptar)$/ }).click()
/** @param {Page} page */
async function findChannel(page) {
  await page.getByLabel('Name of the channel').fill('garden/north/roof')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
}
/** @param {Page} page */
const turnRound = (page) => page.evaluate("document.documentElement.dir = 'rtl'")
/** @type {readonly (readonly [string, { width: number; height: number }, string, ((page: Page) => Promise<void>)?])[]} */
const SCREENS = [
  ['first-run-wide-light', WIDE, 'account=none'],
  ['first-run-narrow-dark', NARROW, 'account=none&theme=dark'],
  ['first-run-invited-narrow-es', NARROW, 'account=none&invited&language=es'],
  ['empty-wide', WIDE, 'empty&unsaved'],
  ['empty-popup', POPUP, 'empty&shell=popup'],
  ['conversation-wide-light', WIDE, 'at=/c/rowing&unsaved'],
  ['conversation-wide-dark', WIDE, 'at=/c/rowing&theme=dark'],
  ['conversation-wide-contrast', WIDE, 'at=/c/rowing&theme=contrast'],
  ['conversation-wide-compact', WIDE, 'at=/c/rowing&density=compact'],
  ['conversation-narrow-light', NARROW, 'at=/c/rowing'],
  ['conversation-narrow-dark-offline', NARROW, 'at=/c/rowing&theme=dark&connection=offline'],
  ['conversation-failed', NARROW, 'at=/c/carpenter'],
  ['conversation-long', NARROW, 'at=/c/print'],
  ['conversation-rtl-text', NARROW, 'at=/c/library'],
  ['conversation-empty', NARROW, 'at=/c/new'],
  ['conversation-many', WIDE, 'at=/c/choir'],
  ['list-narrow-light', NARROW, ''],
  ['list-narrow-refused', NARROW, 'connection=refused&update'],
  ['popup-list-light', POPUP, 'shell=popup'],
  ['popup-list-dark', POPUP, 'shell=popup&theme=dark'],
  ['popup-conversation', POPUP, 'shell=popup&at=/c/rowing'],
  ['panel-conversation', { width: 420, height: 800 }, 'shell=panel&at=/c/rowing'],
  ['invite-wide', WIDE, 'at=/invite', async (page) => page.getByRole('button', { name: 'Make an invitation' }).click()],
  [
    'invite-narrow-dark',
    NARROW,
    'at=/invite&theme=dark',
    async (page) => page.getByRole('button', { name: 'Make an invitation' }).click(),
  ],
  ['accept-popup', POPUP, 'shell=popup&at=/i'],
  [
    'accept-error',
    NARROW,
    'at=/i',
    async (page) => {
      await page.getByLabel('Invitation link').fill('hello')
      await page.getByRole('button', { name: 'Accept', exact: true }).click()
    },
  ],
  ['accept-waiting-wide', WIDE, 'at=/i&invited'],
  ['backup-explain', NARROW, 'at=/backup&unsaved'],
  [
    'backup-words-wide',
    WIDE,
    'at=/backup&unsaved',
    async (page) => page.getByRole('button', { name: 'Show the words' }).click(),
  ],
  [
    'backup-words-popup',
    POPUP,
    'shell=popup&at=/backup&unsaved',
    async (page) => page.getByRole('button', { name: 'Show the words' }).click(),
  ],
  [
    'backup-check',
    NARROW,
    'at=/backup&unsaved',
    async (page) => {
      await page.getByRole('button', { name: 'Show the words' }).click()
      await page.getByRole('button', { name: 'I have written them down' }).click()
      await page.getByRole('textbox').or(page.getByRole('combobox')).first().fill('wrong')
      await page.getByRole('button', { name: 'Check' }).click()
    },
  ],
  ['list-erasure-popup', POPUP, 'shell=popup&perishable'],
  ['list-restoring-narrow', NARROW, 'restoring'],
  ['list-stopped-wide', WIDE, 'restoring=stopped'],
  ['empty-notes-narrow', NARROW, 'empty&notes'],
  ['notes-wide', WIDE, 'at=/c/notes'],
  ['conversation-returning', NARROW, 'at=/c/returning'],
  ['restore-ways-wide', WIDE, 'account=none&at=/restore'],
  ['restore-ways-popup-dark', POPUP, 'account=none&shell=popup&at=/restore&theme=dark'],
  ['restore-words-wide', WIDE, 'account=none&at=/restore/words', fillWords],
  ['restore-words-popup-es', POPUP, 'account=none&shell=popup&at=/restore/words&language=es'],
  ['restore-words-wrong', NARROW, 'account=none&at=/restore/words', typeWrongWord],
  ['restore-found', NARROW, 'account=none&at=/restore/words', findAccount],
  ['restore-card-panel', { width: 420, height: 800 }, 'account=none&shell=panel&at=/restore/passphrase'],
  ['restore-passkey-contrast', NARROW, 'account=none&at=/restore/passkey&theme=contrast'],
  ['link-begin', NARROW, 'account=none&at=/restore/link'],
  ['link-showing-wide', WIDE, 'account=none&linking=showing'],
  ['link-showing-popup', POPUP, 'account=none&shell=popup&linking=showing'],
  ['link-compare-new-narrow-dark', NARROW, 'account=none&linking=new&theme=dark'],
  ['link-join-wide', WIDE, 'at=/link'],
  ['link-compare-holder-wide', WIDE, 'at=/link&linking=holder'],
  ['link-failed', NARROW, 'at=/link&linking=failed'],
  ['devices-wide', WIDE, 'at=/devices'],
  ['devices-popup-es-dark', POPUP, 'shell=popup&at=/devices&language=es&theme=dark'],
  ['devices-linked-narrow', NARROW, 'at=/devices&linked'],
  ['devices-remove', NARROW, 'at=/devices', async (page) => page.getByRole('button', { name: /^Remove/ }).click()],
  ['doors-wide', WIDE, 'at=/doors'],
  ['doors-card', NARROW, 'at=/doors', addPassphrase],
  ['lock-narrow', NARROW, 'at=/lock'],
  ['lock-on-wide-dark', WIDE, 'at=/lock&lock&theme=dark'],
  ['locked-wide', WIDE, 'account=locked'],
  ['locked-popup-wrong', POPUP, 'shell=popup&account=locked', unlockWrongly],
  ['archive-wide', WIDE, 'at=/archive'],
  ['archive-popup', POPUP, 'shell=popup&at=/archive'],
  ['revoked-narrow', NARROW, 'account=revoked'],
  [
    'devices-narrow-rtl-forced-colors',
    NARROW,
    'at=/devices',
    async (page) => {
      await page.emulateMedia({ forcedColors: 'active' })
      await page.evaluate("document.documentElement.dir = 'rtl'")
    },
  ],
  [
    'restore-words-rtl',
    NARROW,
    'account=none&at=/restore/words',
    async (page) => {
      await page.evaluate("document.documentElement.dir = 'rtl'")
    },
  ],
  ['group-new-wide', WIDE, 'at=/group', chooseTwo],
  ['group-new-popup-es', POPUP, 'shell=popup&at=/group&language=es', chooseNobody],
  ['group-conversation-wide', WIDE, 'at=/c/allotment'],
  ['group-conversation-popup-dark', POPUP, 'shell=popup&at=/c/allotment&theme=dark'],
  ['group-details-wide', WIDE, 'at=/c/allotment/details'],
  ['group-details-narrow-dark', NARROW, 'at=/c/allotment/details&theme=dark'],
  ['group-details-popup-es', POPUP, 'shell=popup&at=/c/allotment/details&language=es'],
  ['group-details-contrast-changing', WIDE, 'at=/c/allotment/details&theme=contrast', changeName],
  ['group-details-rtl', WIDE, 'at=/c/allotment/details', turnRound],
  [
    'group-remove',
    NARROW,
    'at=/c/allotment/details',
    (page) => page.getByRole('button', { name: 'Remove Carpenter' }).click(),
  ],
  ['group-add-panel', PANEL, 'shell=panel&at=/c/allotment/add'],
  ['group-request-narrow', NARROW, 'at=/c/request'],
  ['group-left-wide', WIDE, 'at=/c/over'],
  ['group-forked-wide', WIDE, 'at=/c/forked'],
  ['group-repair-popup', POPUP, 'shell=popup&at=/c/forked', repair],
  ['list-put-away-narrow', NARROW, '', (page) => page.getByRole('button', { name: /^Archived and blocked/ }).click()],
  ['history-share-wide', WIDE, 'at=/c/walks/details', shareEarlier],
  ['history-share-narrow-es-dark', NARROW, 'at=/c/walks/details&language=es&theme=dark', shareEarlier],
  ['history-shared-wide', WIDE, 'at=/c/walks'],
  ['history-shared-popup-dark', POPUP, 'shell=popup&at=/c/walks&theme=dark'],
  ['group-picture-timer-narrow', NARROW, 'at=/c/walks/details'],
  ['group-picture-timer-contrast', WIDE, 'at=/c/walks/details&theme=contrast'],
  ['group-picture-timer-rtl', WIDE, 'at=/c/walks/details', turnRound],
  ['space-list-wide', WIDE, ''],
  ['space-list-folded-narrow-dark', NARROW, 'theme=dark', (page) => page.locator('.space-fold').click()],
  ['space-pane-wide', WIDE, 'at=/c/harbour/space'],
  ['space-pane-popup-es', POPUP, 'shell=popup&at=/c/harbour/space&language=es'],
  ['space-pane-narrow-dark', NARROW, 'at=/c/harbour/space&theme=dark'],
  ['space-pane-contrast', WIDE, 'at=/c/harbour/space&theme=contrast'],
  ['space-pane-rtl', WIDE, 'at=/c/harbour/space', turnRound],
  ['space-new-wide', WIDE, 'at=/space'],
  ['space-new-popup-es', POPUP, 'shell=popup&at=/space&language=es'],
  ['space-channel-details-wide', WIDE, 'at=/c/harbour-tools/details'],
  ['space-channel-details-narrow-es', NARROW, 'at=/c/harbour-tools/details&language=es'],
  ['space-list-compact', PANEL, 'shell=panel&density=compact'],
  ['group-link-wide', WIDE, 'at=/c/allotment/link', makeGroupLink],
  ['group-link-popup-es-dark', POPUP, 'shell=popup&at=/c/allotment/link&language=es&theme=dark'],
  ['accept-group-wide', WIDE, 'at=/i&invited', accept],
  ['accept-group-narrow-es-dark', NARROW, 'at=/i&invited&language=es&theme=dark', accept],
  ['accept-scan-wide', WIDE, 'at=/i&scanner'],
  ['find-channel-wide', WIDE, 'at=/find', findChannel],
  ['find-channel-popup-es', POPUP, 'shell=popup&at=/find&language=es'],
  ['find-channel-narrow-dark', NARROW, 'at=/find&theme=dark'],
  ['find-channel-contrast-rtl', WIDE, 'at=/find&theme=contrast', turnRound],
  ['people-wide', WIDE, 'at=/people'],
  ['people-popup-es', POPUP, 'shell=popup&at=/people&language=es'],
  ['person-wide', WIDE, 'at=/p/print'],
  ['person-namesake-narrow', NARROW, 'at=/c/print'],
  ['person-problem-narrow', NARROW, 'at=/p/choir'],
  ['person-problem-contrast', WIDE, 'at=/p/choir&theme=contrast'],
  ['person-popup-dark', POPUP, 'shell=popup&at=/p/carpenter&theme=dark'],
  ['person-rtl', NARROW, 'at=/p/library', turnRound],
  ['person-block', NARROW, 'at=/p/library', (page) => page.getByRole('button', { name: 'Block' }).click()],
  ['person-stopped-wide', WIDE, 'at=/c/choir'],
  ['health-wide', WIDE, 'at=/health'],
  ['health-popup-es-dark', POPUP, 'shell=popup&at=/health&language=es&theme=dark'],
  ['settings-wide', WIDE, 'at=/settings'],
  ['settings-narrow-es-dark', NARROW, 'at=/settings&language=es&theme=dark'],
  ['share-narrow', NARROW, 'at=/share&shared=A%20page%20worth%20reading%0Ahttps://example.org/page'],
  ['blocked-keys', WIDE, 'account=keys-missing'],
  ['blocked-private-narrow-dark', NARROW, 'account=storage-refused&theme=dark'],
  ['nothing-chosen-wide', WIDE, ''],
  [
    'conversation-wide-rtl',
    WIDE,
    'at=/c/library',
    async (page) => {
      await page.evaluate("document.documentElement.dir = 'rtl'")
    },
  ],
  [
    'conversation-narrow-rtl-forced-colors',
    NARROW,
    'at=/c/rowing',
    async (page) => {
      await page.emulateMedia({ forcedColors: 'active' })
      await page.evaluate("document.documentElement.dir = 'rtl'")
    },
  ],
]

const DOCUMENTED = new Set([
  'group-details-wide',
  'person-problem-narrow',
  'first-run-wide-light',
  'first-run-narrow-dark',
  'empty-wide',
  'conversation-wide-light',
  'conversation-wide-dark',
  'conversation-wide-contrast',
  'conversation-narrow-light',
  'conversation-narrow-dark-offline',
  'invite-wide',
  'backup-words-wide',
  'settings-narrow-es-dark',
  'restore-words-wide',
  'link-compare-holder-wide',
  'devices-wide',
  'devices-remove',
  'locked-popup-wrong',
  'notes-wide',
  'list-restoring-narrow',
  'popup-list-light',
  'popup-list-dark',
  'popup-conversation',
  'panel-conversation',
  'blocked-keys',
])
const isChosen = (name = '') => (only === 'documents' ? DOCUMENTED.has(name) : name.includes(only))

await mkdir(out, { recursive: true })
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
let failures = 0
/** @type {(name: string, text: string) => void} */
const fail = (name, text) => {
  failures++
  console.log(`${name}: ${text}`)
}
for (const [name, viewport, query, act] of SCREENS) {
  if (!isChosen(name)) continue
  const context = await browser.newContext({
    viewport,
    bypassCSP: true,
    locale: 'en-GB',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') fail(name, message.text())
  })
  page.on('pageerror', (error) => fail(name, String(error)))
  await page.goto(`http://127.0.0.1:${port}/?${query}`)
  await page.waitForSelector('main')
  if (act !== undefined) await act(page)
  await page.waitForTimeout(150)
  await page.screenshot({ path: join(out, `${name}.png`) })
  await page.evaluate(axe)
  /** @type {import('axe-core').AxeResults} */
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
  for (const violation of found.violations) {
    fail(
      name,
      `axe ${violation.id}: ${violation.nodes.map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).join(' | ')}`,
    )
  }
  await context.close()
}
await browser.close()
server.close()
console.log(failures === 0 ? 'all screens clean' : `${failures} problems`)
process.exitCode = failures === 0 ? 0 : 1
