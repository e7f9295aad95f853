/** Builds the relay, the web app and the extension into dist/. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const SOURCES = [
  'shared',
  'worker',
  'pwa',
  'extension',
  'package.json',
  'package-lock.json',
  'patches',
  'scripts/build.mjs',
]
const STAMP = join(root, 'dist/.built')

const nothing = () => undefined
/** What the extension's builder has to say, if it is bad news. */
const quiet = {
  debug: nothing,
  log: nothing,
  info: nothing,
  success: nothing,
  warn: console.warn,
  error: console.error,
  fatal: console.error,
  level: 1,
}

/** @param {string} [mode] 'production' minifies; anything else keeps names readable */
export async function buildAll(mode = 'production') {
  const { build: esbuild } = await import('esbuild')
  const { build: vite } = await import('vite')
  const { build: wxt } = await import('wxt')
  const began = hashSources()
  rmSync(STAMP, { force: true })
  await esbuild({
    entryPoints: [join(root, 'worker/index.ts')],
    outfile: join(root, 'dist/worker/index.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    sourcemap: true,
    logLevel: 'warning',
  })
  await vite({ configFile: join(root, 'pwa/vite.config.ts'), mode, logLevel: 'warn' })
  for (const browser of ['chrome', 'firefox'])
    await wxt({ logger: quiet, root: join(root, 'extension'), browser, manifestVersion: 3, mode })
  writeFileSync(STAMP, began)
}

/** @returns {boolean} does dist/ hold what the sources say now? */
export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources()
}

function hashSources() {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap((source) => filesUnder(join(root, source)))) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

/** @param {string} path @returns {string[]} */
function filesUnder(path) {
  if (!existsSync(path)) return []
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name }) => filesUnder(join(path, name)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path]
    throw error
  }
}

if (process.argv[1] === import.meta.filename) await buildAll()
