/** `npm test`: everything, in order. `npm test -- unit e2e` runs only what is named. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
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

/** The build comes before the tests: the Workers runtime and both browsers run what it made. @type {Suite[]} */
const suites = [
  step('types', 'tsc', '-p', '.'),
  step('types of core', 'tsc', '-p', 'shared/core'),
  step('types of the relay', 'tsc', '-p', 'worker'),
  step('types of the simulation', 'tsc', '-p', 'tests/sim'),
  step('lint', 'biome', 'check', '.'),
  step('build', process.execPath, join(root, 'scripts/build.mjs')),
  step('deploy', 'wrangler', 'deploy', '--dry-run', '--outdir', 'dist/deploy'),
  vitest('unit'),
  vitest('worker'),
  vitest('sim'),
  step('differential peer', process.execPath, join(root, 'scripts/install-peer.mjs')),
  vitest('differential'),
  { name: 'e2e', kind: 'playwright', command: ['playwright', 'test'] },
]

const env = {
  ...process.env,
  CHROMIUM_PATH: findChromium() ?? '',
  WRANGLER_SEND_METRICS: 'false',
  PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf('e2e'),
}

/** @param {Suite} suite */
function run({ name, kind, command: [program = '', ...args] }) {
  console.log(`\n── ${name}`)
  const beganMs = Date.now()
  const local = join(root, 'node_modules/.bin', program)
  const { status } = spawnSync(existsSync(local) ? local : program, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const report = existsSync(reportOf(name)) ? readFileSync(reportOf(name), 'utf8') : undefined
  return { name, seconds: (Date.now() - beganMs) / 1000, verdict: judge({ kind, status, report }) }
}

rmSync(results, { recursive: true, force: true }) // no report of an earlier run is ever read
mkdirSync(results, { recursive: true })
const named = process.argv.slice(2)
const runs = suites.filter(({ name }) => named.length === 0 || named.includes(name.split(' ')[0] ?? '')).map(run)

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
