/** `npm test`: everything. `npm test -- unit e2e` runs only what is named. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { findChromium } from './chromium.mjs'
import { judge, sum } from './test-report.mjs'

const root = resolve(import.meta.dirname, '..')
const results = join(root, 'test-results')
const reportOf = (/** @type {string} */ name) => join(results, `${name}.json`)

/**
 * @typedef {{ name: string, kind: import('./test-report.mjs').Kind, command: string[] }} Suite
 * @param {string} name @param {string[]} command @returns {Suite}
 */
const step = (name, ...command) => ({ name, kind: 'status', command })

/** @param {string} name @returns {Suite} */
const vitest = (name) => ({
  name,
  kind: 'vitest',
  command: [
    'vitest',
    'run',
    '--project',
    name,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportOf(name)}`,
  ],
})

/**
 * One after the other, the lanes of a step side by side: what has one core to work with shares them, what uses both has
 * them to itself. The build comes first: the Workers runtime and both browsers run what it made. @type {Suite[][][]}
 */
const steps = [
  [
    [
      step('build', process.execPath, join(root, 'scripts/build.mjs')),
      step('deploy', 'wrangler', 'deploy', '--dry-run', '--outdir', 'dist/deploy'),
      step('differential peer', process.execPath, join(root, 'scripts/install-peer.mjs')),
    ],
    [
      step('types', 'tsc', '-p', '.'),
      step('types of core', 'tsc', '-p', 'shared/core'),
      step('types of the relay', 'tsc', '-p', 'worker'),
      step('types of the simulation', 'tsc', '-p', 'tests/sim'),
      step('lint', 'biome', 'check', '.'),
    ],
  ],
  [[vitest('unit')]],
  [[vitest('worker')], [vitest('differential')]],
  [[vitest('sim')]],
  [[{ name: 'e2e', kind: 'playwright', command: ['playwright', 'test'] }]],
]

const env = {
  ...process.env,
  CHROMIUM_PATH: findChromium() ?? '',
  WRANGLER_SEND_METRICS: 'false',
  PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf('e2e'),
}

/** @typedef {{ name: string, seconds: number, verdict: import('./test-report.mjs').Verdict }} Run */

/** Each line with the suite's name before it: two may be at work at a time. @param {Suite} suite @returns {Promise<Run>} */
async function run({ name, kind, command: [program = '', ...args] }) {
  const beganMs = Date.now()
  const local = join(root, 'node_modules/.bin', program)
  const child = spawn(existsSync(local) ? local : program, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => console.log(`${name} │ ${line}`))
  }
  const status = await new Promise((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  const report = existsSync(reportOf(name)) ? readFileSync(reportOf(name), 'utf8') : undefined
  return { name, seconds: (Date.now() - beganMs) / 1000, verdict: judge({ kind, status, report }) }
}

/** @param {readonly Suite[]} suites @returns {Promise<Run[]>} */
async function runInOrder(suites) {
  /** @type {Run[]} */
  const runs = []
  for (const suite of suites) runs.push(await run(suite))
  return runs
}

rmSync(results, { recursive: true, force: true }) // no report of an earlier run is ever read
mkdirSync(results, { recursive: true })
const named = process.argv.slice(2)
const isWanted = (/** @type {Suite} */ { name }) => named.length === 0 || named.includes(name.split(' ')[0] ?? '')
/** @type {Run[]} */
const runs = []
for (const lanes of steps) {
  const ended = await Promise.all(lanes.map((lane) => runInOrder(lane.filter(isWanted))))
  runs.push(...ended.flat())
}

console.log('')
for (const { name, seconds, verdict } of runs) {
  const { passed, failed, skipped, why } = verdict
  const extra = [skipped > 0 ? `${skipped} skipped` : '', why ?? ''].filter(Boolean).join(', ')
  console.log(
    `${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${passed} passed, ${failed} failed${extra && `, ${extra}`} (${seconds.toFixed(1)} s)`,
  )
}
const total = sum(runs.map(({ verdict }) => verdict))
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
