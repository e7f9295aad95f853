/**
 * Measures both built clients and the relay, all in one run, and writes docs/benchmarks.md.
 *   npm run bench
 *   npm run bench -- --quick            less of everything, in under a minute; prints it and writes nothing
 *   npm run bench -- --only relay,list  these parts alone; prints them and writes nothing
 */
import { existsSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join, resolve } from 'node:path'
import { buildAll, isBuilt } from '../scripts/build.mjs'
import { startRelay } from '../scripts/relay.mjs'
import { measureGroups } from './app/groups.mjs'
import { measureConversation } from './client/conversation.mjs'
import { measureList } from './client/list.mjs'
import { measureSeals } from './client/seal.mjs'
import { measureSizes } from './client/sizes.mjs'
import { measureRestore } from './log/restore.mjs'
import { startBare } from './relay/bare.mjs'
import { measureRelay } from './relay/measure.mjs'
import { report } from './report.mjs'
import { inFolder } from './support/browser.mjs'

/**
 * @typedef {{ relayUrl: string, bareUrl: string, quick: boolean }} Place
 * @typedef {import('./report.mjs').Outcome} Outcome
 * @typedef {(place: Place) => Outcome | Promise<Outcome>} Measure
 */
/** @type {Record<string, { title: string, measure: Measure }>} */
const PARTS = {
  sizes: { title: 'What a client loads', measure: measureSizes },
  relay: { title: 'The relay', measure: measureRelay },
  conversation: { title: 'A conversation of two web apps', measure: measureConversation },
  list: { title: 'A long history', measure: measureList },
  seal: { title: 'Seal and open', measure: measureSeals },
  restore: { title: 'An account comes back', measure: measureRestore },
  app: { title: 'Groups by size', measure: measureGroups },
}

const root = resolve(import.meta.dirname, '..')
const quick = process.argv.includes('--quick')
const onlyAt = process.argv.indexOf('--only')
const wanted = onlyAt < 0 ? Object.keys(PARTS) : (process.argv[onlyAt + 1] ?? '').split(',')

if (!isBuilt()) await buildAll()
const loadBefore = os.loadavg()[0] ?? 0
const began = Date.now()
const parts = await inFolder('relay', async (folder) => {
  const relay = await startRelay({ data: join(folder, 'realm') })
  const bare = await startBare(join(folder, 'bare'))
  try {
    /** @type {Record<string, Outcome>} */
    const done = {}
    for (const name of wanted) {
      const part = PARTS[name]
      if (part === undefined) throw new Error(`No part '${name}': ${Object.keys(PARTS).join(', ')}`)
      console.error(`${part.title} …`)
      done[part.title] = await part.measure({ relayUrl: relay.url, bareUrl: bare.url, quick })
    }
    return done
  } finally {
    await bare.stop()
    await relay.stop()
  }
})

const minutes = ((Date.now() - began) / 60_000).toFixed(1)
const loads = [loadBefore, os.loadavg()[0] ?? 0].map((load) => load.toFixed(1)).join(' before and ')
const head = [
  `Written by \`npm run bench\`: ${new Date().toISOString().slice(0, 10)}, ${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()} ${os.release()}, Node ${process.versions.node}, Chromium headless,`,
  `workerd through miniflare, everything on this machine. One run of ${minutes} minutes; load ${loads} after. On a busy machine`,
  'absolute figures are worse than on a quiet one, and ratios, whose two sides ran in turns, hold better: read those first.',
  '',
  'The bare object is one Durable Object with SQLite in a runtime of its own (`bench/relay/bare-worker.mjs`). Frames for the relay are sealed',
  'before the clock starts. Under miniflare pages negotiate socket compression, with the bare object as with the relay; the clients of the',
  "relay's own rows do not.",
]
if (existsSync(join(root, 'docs/benchmarks-mls.md')))
  head.push('', 'What MLS costs in groups of up to a thousand: [benchmarks-mls.md](benchmarks-mls.md).')
const page = report(head, parts)
if (quick || onlyAt >= 0) console.log(page)
else writeFileSync(join(root, 'docs/benchmarks.md'), page)
