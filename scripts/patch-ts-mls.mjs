/**
 * Applies patches/ts-mls to the installed packages, so that types, tests and both builds see the same code. Node built-ins
 * only. Runs again without harm: it starts from the published files, which it keeps in node_modules/.stave-stock (the
 * tests show there that each patch is needed). Whatever does not fit exactly stops the install.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join, resolve } from 'node:path'
import { MODULES, PACKAGES, PATCHES } from '../patches/ts-mls/patches.mjs'

const root = resolve(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const stock = join(modules, '.stave-stock')
const ours = join(root, 'patches/ts-mls')
const marker = join(modules, 'ts-mls/dist/src/stave-patched.js')

for (const [name, version] of Object.entries(PACKAGES)) {
  const found = JSON.parse(fs.readFileSync(join(modules, name, 'package.json'), 'utf8')).version
  if (found !== version) giveUp(`${name} ${found} is installed; the patches are for ${version} exactly.`)
}
if (!hasStock()) keepStock()
restoreStock()
for (const file of new Set(PATCHES.map((patch) => patch.file))) patchFile(file)
for (const { from, to } of MODULES) fs.copyFileSync(join(ours, from), join(modules, to))
fs.writeFileSync(marker, `export const patchSet = '${fingerprint()}'\n`)
fs.writeFileSync(marker.replace(/js$/, 'd.ts'), 'export declare const patchSet: string\n')

function hasStock() {
  return Object.entries(PACKAGES).every(([name, version]) => {
    const manifest = join(stock, name, 'package.json')
    return fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version
  })
}

/** The published files, before anything was changed in them. */
function keepStock() {
  fs.rmSync(stock, { recursive: true, force: true })
  for (const name of Object.keys(PACKAGES)) fs.cpSync(join(modules, name), join(stock, name), { recursive: true })
}

function restoreStock() {
  for (const file of new Set([...PATCHES.map((patch) => patch.file), ...MODULES.map((module) => module.to)])) {
    const published = join(stock, file)
    if (fs.existsSync(published)) fs.copyFileSync(published, join(modules, file))
    else fs.rmSync(join(modules, file), { force: true })
  }
}

/** @param {string} file */
function patchFile(file) {
  let text = fs.readFileSync(join(modules, file), 'utf8')
  for (const { id, from, to, times = 1 } of PATCHES.filter((patch) => patch.file === file)) {
    const found = text.split(from).length - 1
    if (found !== times) giveUp(`Patch ${id} fits ${file} ${found} times, not ${times}.`)
    text = text.replaceAll(from, () => to)
  }
  fs.writeFileSync(join(modules, file), text)
}

/** Over all that decides what the patched files look like; a test computes it again. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const name of fs.readdirSync(ours).sort()) hash.update(`${name}\0`).update(fs.readFileSync(join(ours, name)))
  return hash.digest('hex')
}

/** @param {string} message @returns {never} */
function giveUp(message) {
  console.error(message)
  process.exit(1)
}
