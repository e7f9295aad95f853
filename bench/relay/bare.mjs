import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'

const WORKER = resolve(import.meta.dirname, 'bare-worker.mjs')
const ENTRY = `export { Bare, worker as default } from './bare-worker.mjs'`

/**
 * A second runtime for the bare object, with what the relay's has: SQLite on the same disk, hibernating sockets.
 * @param {string} folder @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startBare(folder) {
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    modules: [
      { type: 'ESModule', path: 'index.mjs', contents: ENTRY },
      { type: 'ESModule', path: 'bare-worker.mjs', contents: readFileSync(WORKER, 'utf8') },
    ],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['no_web_socket_compression'],
    durableObjects: { BARE: { className: 'Bare', useSQLite: true } },
    durableObjectsPersist: folder,
  })
  const url = await miniflare.ready
  return { url: url.origin, stop: () => miniflare.dispose() }
}
