/**
 * Lives of MLS groups outside the test suite: adds, removes, updates, devices that come back, late messages, each state wiped, stored in
 * its rows and read again after each step.
 *   npm run lives                               one group of 40 devices
 *   npm run lives:long                          three of 300, 40 steps each, of which 40 are restored after each
 *   node scripts/lives.mjs --seed 7 --devices 300 --steps 20 --suite x-wing
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const option = (/** @type {string} */ name, /** @type {string} */ fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback)
}
const first = Number(option('seed', '1'))
const seeds = Number(option('seeds', '1'))
const devices = Number(option('devices', '40'))
const steps = Number(option('steps', '10'))
const restarts = Number(option('restarts', `${devices}`))
const suite = option('suite', 'classical') === 'x-wing' ? 0xf0a1 : 0x0001

const folder = join(root, 'node_modules/.cache/stave-lives')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, 'life.mjs')
await build({
  entryPoints: [join(root, 'tests/unit/core/mls/life.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  absWorkingDir: root,
  logLevel: 'warning',
})
const { Life } = await import(pathToFileURL(outfile).href)
let failed = 0
for (let seed = first; seed < first + seeds; seed++) {
  const began = Date.now()
  const took = () => `${((Date.now() - began) / 1000).toFixed(1)} s`
  try {
    const life = await Life.begin({
      seed,
      suite,
      steps,
      atMost: devices,
      startWith: Math.max(1, devices - 4),
      restarts,
    })
    console.log(`seed ${seed}: ${life.seats.size} devices after ${took()}`)
    for (let step = 1; step <= steps; step++) {
      await life.step()
      if (devices > 100) console.log(`seed ${seed}: step ${step} after ${took()}`)
    }
    await life.end()
    console.log(`seed ${seed}: everybody agrees, ${life.seats.size} devices, ${JSON.stringify(life.counts)}, ${took()}`)
  } catch (error) {
    failed++
    console.log(`seed ${seed}: ${error instanceof Error ? error.stack : error}, ${took()}`)
  }
}
rmSync(folder, { recursive: true, force: true })
console.log(`${seeds - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
