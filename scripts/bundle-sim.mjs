import { mkdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')

/** @param {string} name @param {number} fallback @returns {number} what follows `--name` on the command line */
export function option(name, fallback) {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}

/**
 * One file of the simulation outside the test suite, in a folder of this process alone.
 * @param {string} entry below tests/support/sim
 */
export async function loadSim(entry) {
  const folder = join(root, 'node_modules/.cache', `stave-sim-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, basename(entry).replace(/\.ts$/, '.mjs'))
  await build({
    entryPoints: [join(root, 'tests/support/sim', entry)],
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
  return import(pathToFileURL(outfile).href)
}
