import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { figure } from '../support/stats.mjs'

/** @typedef {import('../report.mjs').Outcome} Outcome */
const dist = resolve(import.meta.dirname, '../../dist')
const STATIC_IMPORT = /(?:\bimport|\bfrom)\s*["'](\.{1,2}\/[^"']+)["']/g
const TAG = /<(?:script[^>]*\ssrc|link[^>]*rel="(?:stylesheet|modulepreload)"[^>]*\shref)="(\/[^"]+)"/g

/** @param {string} folder @param {string} page @returns {Set<string>} the page and all that it loads before it shows anything */
function filesOf(folder, page) {
  const files = new Set([page])
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    if (file.endsWith('.html')) for (const [, path = ''] of text.matchAll(TAG)) files.add(path.slice(1))
    if (file.endsWith('.js'))
      for (const [, path = ''] of text.matchAll(STATIC_IMPORT)) files.add(posix.join(posix.dirname(file), path))
  }
  return files
}

/** @param {string} folder @param {Iterable<string>} files kB, each file packed by itself as it is served */
function packedKb(folder, files) {
  let bytes = 0
  for (const file of files) bytes += gzipSync(readFileSync(join(folder, file)), { level: 9 }).length
  return bytes / 1000
}

/** What each client loads. @returns {Outcome} */
export function measureSizes() {
  const pwa = join(dist, 'pwa')
  const chrome = join(dist, 'extension/chrome-mv3')
  const engine = readdirSync(join(pwa, 'assets')).filter((name) => /^engine\.worker-.*\.js$/.test(name))
  const face = packedKb(pwa, filesOf(pwa, 'index.html'))
  const worker = packedKb(
    pwa,
    engine.map((name) => `assets/${name}`),
  )
  const firstLoad = face + worker
  const popup = packedKb(chrome, filesOf(chrome, 'popup.html'))
  const background = packedKb(chrome, ['background.js'])
  return {
    ratios: [
      {
        what: 'Web app, first load (page, styles, scripts, engine), gzip',
        value: `${figure(firstLoad)} kB`,
        goal: '≤ 150 kB',
        met: firstLoad <= 150,
        bound:
          'The engine is two thirds of it: MLS with its X-Wing primitives is 45 KiB of that, the rest is the log, the vault, linking, groups, spaces, names and shared history. A third of the page are the sentences of both languages.',
      },
      {
        what: 'Popup, all that popup.html loads, gzip',
        value: `${figure(popup)} kB`,
        goal: '≤ 120 kB',
        met: popup <= 120,
        bound: 'The face itself.',
      },
    ],
    figures: [
      { what: 'Web app: page, styles and scripts, gzip kB', value: figure(face) },
      { what: 'Web app: engine (worker), gzip kB', value: figure(worker) },
      { what: 'Web app: service worker, gzip kB', value: figure(packedKb(pwa, ['sw.js'])) },
      { what: 'Extension: popup, gzip kB', value: figure(popup) },
      { what: 'Extension: side panel, gzip kB', value: figure(packedKb(chrome, filesOf(chrome, 'sidepanel.html'))) },
      { what: 'Extension: background, gzip kB', value: figure(background) },
    ],
  }
}
