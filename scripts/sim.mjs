/**
 * Runs the simulation outside the test suite.
 *   npm run sim -- --seed 7           one seed, with what each device looked like at the end
 *   npm run sim:long                  200 seeds of 2,000 messages
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const option = (/** @type {string} */ name, /** @type {number} */ fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const first = option('seed', 1)
const seeds = option('seeds', 1)
const messages = option('messages', 500)

const folder = join(root, 'node_modules/.cache/stave-sim')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, 'conversation.mjs')
await build({
  entryPoints: [join(root, 'tests/support/sim/conversation.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['sql.js'],
  alias: { 'cloudflare:workers': join(root, 'tests/support/cloudflare-workers.ts') },
  absWorkingDir: root,
  logLevel: 'warning',
})
const { converse, judge, storm } = await import(pathToFileURL(outfile).href)
let failed = 0
for (let seed = first; seed < first + seeds; seed++) {
  const began = Date.now()
  const outcome = await converse(seed, storm(messages))
  const faults = judge(outcome, messages)
  if (faults.length > 0) failed++
  const took = ((Date.now() - began) / 1000).toFixed(1)
  console.log(
    `seed ${seed}: ${faults.length === 0 ? 'converged' : faults.join('; ')} (${outcome.crashes} crashes of devices, ${outcome.relayCrashes} of the relay, ${took} s)`,
  )
  if (faults.length > 0 || seeds === 1) for (const line of outcome.described) console.log(`  ${line}`)
}
rmSync(folder, { recursive: true, force: true })
console.log(`${seeds - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
