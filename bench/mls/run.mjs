/**
 * Measures core/mls, and the published ts-mls beside it, in Node and in Chromium; writes docs/benchmarks-mls.md.
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

/** @typedef {{ name: string, suite: number, size: number, shape: string }} Case */
/** @typedef {Record<string, number>} Row */

const root = resolve(import.meta.dirname, '../..')
const out = join(root, 'dist/bench')
const sizes = (process.argv[2] ?? '2,10,100,500,1000').split(',').map(Number)
const SUITES = [
  { name: 'classical', suite: 0x0001 },
  { name: 'X-Wing', suite: 0xf0a1 },
]
const ENGINES = ['Chromium', 'Node']
/** @type {Case[]} */
const cases = SUITES.flatMap((suite) =>
  sizes.flatMap((size) => (size > 2 ? ['flat', 'full'] : ['full']).map((shape) => ({ ...suite, size, shape }))),
).filter(({ name, size, shape }) => name !== 'X-Wing' || shape === 'full' || size <= 250) // beyond, a commit outgrows an envelope

fs.mkdirSync(out, { recursive: true })
await bundle('measure', './measure.ts')
await bundle('measureStock', './measure-stock.ts', join(root, 'node_modules/.stave-stock/ts-mls/dist/src'))
const page = await openPage()
/** @type {Map<string, Row>} */
const rows = new Map()
for (const one of cases) {
  for (const engine of ENGINES) {
    const run = engine === 'Node' ? inNode : inPage
    rows.set(key(engine, one), await run('measure', `${one.suite}, ${one.size}, '${one.shape}'`))
    // The published X-Wing needs packages that Stave has no use for; a tree of 500 takes it minutes to build.
    if (one.name !== 'classical' || one.size > 100) continue
    rows.set(key(`${engine} stock`, one), await run('measureStock', `${one.size}, '${one.shape}'`))
  }
  console.log(`${one.name} ${one.size} ${one.shape} done`)
}
fs.writeFileSync(join(root, 'docs/benchmarks-mls.md'), report())
process.exit(0)

/** @param {string} engine @param {Case} one */
function key(engine, { name, size, shape }) {
  return `${engine} ${name} ${size} ${shape}`
}

/** @param {string} name @param {string} module @param {string} [stock] the folder that ts-mls is taken from instead */
async function bundle(name, module, stock) {
  await build({
    stdin: {
      contents: `import { ${name} } from '${module}'\nglobalThis.${name} = ${name}`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    outfile: join(out, `${name}.mjs`),
    logLevel: 'error',
    external: [
      'crypto',
      '@hpke/chacha20poly1305',
      '@hpke/hybridkem-x-wing',
      '@hpke/ml-kem',
      '@hpke/dhkem-x448',
      '@noble/post-quantum/*',
    ],
    ...(stock === undefined ? {} : { alias: { 'ts-mls': stock } }),
  })
}

/** @param {string} name @param {string} input @returns {Promise<Row>} */
async function inNode(name, input) {
  const script = `await import('./${name}.mjs'); process.stdout.write(JSON.stringify(await ${name}(${input})))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: out,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** @param {string} name @param {string} input @returns {Promise<Row>} */
function inPage(name, input) {
  return page.evaluate(`${name}(${input})`)
}

async function openPage() {
  const server = createServer((request, response) => {
    const script = join(out, request.url ?? '')
    const isScript = request.url?.endsWith('.mjs') === true
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.setHeader('cross-origin-opener-policy', 'same-origin') // finer timers
    response.setHeader('cross-origin-embedder-policy', 'require-corp')
    response.end(
      isScript
        ? fs.readFileSync(script)
        : '<!doctype html><script type="module">import "/measure.mjs"; import "/measureStock.mjs"; globalThis.ready = true</script>',
    )
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] })
  const opened = await browser.newPage()
  opened.setDefaultTimeout(600_000)
  await opened.goto(`http://127.0.0.1:${address.port}/`)
  await opened.waitForFunction('globalThis.ready === true')
  return opened
}

function report() {
  const lines = [
    '# MLS: what it costs',
    '',
    `Made by \`node bench/mls/run.mjs\` on ${new Date().toISOString().slice(0, 10)}: ${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), load ${(os.loadavg()[0] ?? 0).toFixed(1)} at the end, Node`,
    `${process.versions.node}, Chromium. Read the ratios first: both columns of a ratio ran one after the other on the same machine. Flat: a tree that adds alone have`,
    'shaped. Full: everybody has committed once. Ours includes certificates, manifests and policy, which the published package leaves out; a',
    'group of N is N accounts of one device.',
    '',
  ]
  for (const engine of ENGINES) {
    lines.push(`## ${engine}, classical: published ts-mls 1.6.4 ÷ ours`, '', ...table(ratios(engine, 'classical')))
    for (const { name } of SUITES) {
      lines.push(`## ${engine}, ${name}, ms`, '', ...table(columns(engine, name, (what) => !what.startsWith('B '))))
    }
  }
  for (const { name } of SUITES) {
    lines.push(`## Bytes, ${name}`, '', ...table(columns('Node', name, (what) => what.startsWith('B '))))
  }
  return lines.join('\n')
}

/** @param {string} engine @param {string} name @param {(what: string) => boolean} wanted */
function columns(engine, name, wanted) {
  return cases
    .filter((one) => one.name === name)
    .map((one) => {
      const row = Object.entries(rows.get(key(engine, one)) ?? {}).filter(([what]) => wanted(what))
      return { title: `${one.size} ${one.shape}`, row: Object.fromEntries(row) }
    })
}

/** @param {string} engine @param {string} name */
function ratios(engine, name) {
  const stock = columns(`${engine} stock`, name, () => true)
  return columns(engine, name, () => true).flatMap(({ title, row }, i) => {
    if (Object.keys(stock[i]?.row ?? {}).length === 0) return []
    const both = Object.entries(stock[i]?.row ?? {}).map(([what, ms]) => [what, ms / (row[what] ?? Number.NaN)])
    return [{ title, row: Object.fromEntries(both) }]
  })
}

/** @param {{ title: string, row: Row }[]} columnsOf */
function table(columnsOf) {
  /** @param {number | undefined} value */
  const cell = (value) => {
    if (value === undefined) return ''
    return value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toPrecision(2)
  }
  const names = [...new Set(columnsOf.flatMap(({ row }) => Object.keys(row)))]
  return [
    `| | ${columnsOf.map(({ title }) => title).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(columnsOf.length)}`,
    ...names.map(
      (what) => `| ${what.replace(/^B /, '')} | ${columnsOf.map(({ row }) => cell(row[what])).join(' | ')} |`,
    ),
    '',
  ]
}
