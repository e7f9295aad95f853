/**
 * Measures core/mls in Node and in Chromium and writes docs/benchmarks-mls.md.
 *   node bench/mls/run.mjs [sizes, such as 2,10,100]
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.mjs'

const root = resolve(import.meta.dirname, '../..')
const out = join(root, 'dist/bench')
const sizes = (process.argv[2] ?? '2,10,100,500,1000').split(',').map(Number)
const SUITES = [
  { name: 'classical', suite: 0x0001 },
  { name: 'X-Wing', suite: 0xf0a1 },
]

fs.mkdirSync(out, { recursive: true })
await bundle(
  'node',
  `const { stdout, argv } = process
  stdout.write(JSON.stringify(await measure(Number(argv[2]), Number(argv[3]), argv[4])))`,
)
await bundle('browser', 'globalThis.measure = measure')

const cases = SUITES.flatMap(({ name, suite }) =>
  sizes.flatMap((size) => (size > 2 ? ['flat', 'full'] : ['full']).map((shape) => ({ name, suite, size, shape }))),
)
/** @type {Record<string, Record<string, number>[]>} */
const results = { Node: [], Chromium: [] }
const page = await openPage()
for (const one of cases) {
  results.Node?.push(inNode(one))
  const { suite, size, shape } = one
  results.Chromium?.push(await page.evaluate(`measure(${suite}, ${size}, '${shape}')`))
  console.log(`${one.name} ${size} ${shape} done`)
}
await page.close()
fs.writeFileSync(join(root, 'docs/benchmarks-mls.md'), report())
process.exit(0)

/** @param {'node' | 'browser'} platform @param {string} contents */
async function bundle(platform, contents) {
  await build({
    stdin: {
      contents: `import { measure } from './measure.ts'\n${contents}`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform,
    outfile: join(out, `mls-${platform}.mjs`),
    logLevel: 'error',
  })
}

/** @param {(typeof cases)[number]} one @returns {Record<string, number>} */
function inNode({ suite, size, shape }) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(out, 'mls-node.mjs'), String(suite), String(size), shape],
    {
      encoding: 'utf8',
    },
  )
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

async function openPage() {
  const script = fs.readFileSync(join(out, 'mls-browser.mjs'), 'utf8')
  const server = createServer((request, response) => {
    const isScript = request.url === '/mls.mjs'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.setHeader('cross-origin-opener-policy', 'same-origin') // finer timers
    response.setHeader('cross-origin-embedder-policy', 'require-corp')
    response.end(isScript ? script : '<!doctype html><script type="module" src="/mls.mjs"></script>')
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] })
  const page = await browser.newPage()
  page.setDefaultTimeout(600_000)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  await page.goto(`http://127.0.0.1:${address.port}/`)
  await page.waitForFunction('globalThis.measure !== undefined')
  return page
}

function report() {
  const lines = [
    '# MLS: what it costs',
    '',
    `Made by \`node bench/mls/run.mjs\` on ${new Date().toISOString().slice(0, 10)}: ${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), load ${(os.loadavg()[0] ?? 0).toFixed(1)} at the`,
    `end, Node ${process.versions.node}, Chromium. Milliseconds are medians of one run. Flat: a tree that adds alone have shaped. Full: everybody has committed once.`,
    'Opening includes signatures, certificates, manifests and policy. A group of N is N accounts of one device.',
  ]
  for (const engine of ['Chromium', 'Node']) {
    for (const { name } of SUITES)
      lines.push('', `## ${engine}, ${name}, ms`, '', ...table(engine, name, (key) => !key.startsWith('B ')))
  }
  for (const { name } of SUITES)
    lines.push('', `## Bytes, ${name}`, '', ...table('Node', name, (key) => key.startsWith('B ')))
  return `${lines.join('\n')}\n`
}

/** @param {string} engine @param {string} name @param {(key: string) => boolean} wanted */
function table(engine, name, wanted) {
  const columns = cases.flatMap((one, i) => (one.name === name ? [{ ...one, row: results[engine]?.[i] ?? {} }] : []))
  const keys = [...new Set(columns.flatMap(({ row }) => Object.keys(row)))].filter(wanted)
  /** @param {number | undefined} value */
  const cell = (value) =>
    value === undefined ? '' : value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(2)
  return [
    `| | ${columns.map(({ size, shape }) => `${size} ${shape}`).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(columns.length)}`,
    ...keys.map((key) => `| ${key.replace(/^B /, '')} | ${columns.map(({ row }) => cell(row[key])).join(' | ')} |`),
  ]
}
