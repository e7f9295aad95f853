import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')
const out = join(root, 'dist/bench')

/** @param {string} entry below bench/ @returns {Promise<string>} a script that a page can evaluate, whatever its policy says */
export async function scriptOf(entry) {
  const { outputFiles } = await build({ ...settings(entry), platform: 'browser', format: 'iife', write: false })
  return outputFiles[0]?.text ?? ''
}

/** @param {string} entry below bench/ @returns {Promise<unknown>} its exports */
export async function importBundled(entry) {
  mkdirSync(out, { recursive: true })
  const outfile = join(out, entry.replace(/\W+/g, '-').replace(/-ts$/, '.mjs'))
  await build({ ...settings(entry), platform: 'node', format: 'esm', outfile, external: ['ws'] })
  return import(pathToFileURL(outfile).href)
}

/** @param {string} entry */
function settings(entry) {
  return {
    entryPoints: [join(root, 'bench', entry)],
    absWorkingDir: root,
    bundle: true,
    target: 'es2022',
    logLevel: /** @type {const} */ ('warning'),
    external: [],
  }
}
