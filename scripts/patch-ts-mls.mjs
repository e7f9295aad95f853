/**
 * Applies patches/ts-mls to the installed packages, so that types, tests and both builds see the same code. Node built-ins
 * only. Runs again without harm: it starts from the published files, which it keeps in node_modules/.stave-stock (the
 * tests show there that each patch is needed). Whatever does not fit exactly stops the install.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join, resolve } from 'node:path'
import { MODULES, PACKAGES, PATCHES, RULES } from '../patches/ts-mls/patches.mjs'

const root = resolve(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const stock = join(modules, '.stave-stock')
const ours = join(root, 'patches/ts-mls')
const marker = join(modules, 'ts-mls/dist/src/stave-patched.js')

for (const [name, version] of Object.entries(PACKAGES)) {
  const found = JSON.parse(fs.readFileSync(join(modules, name, 'package.json'), 'utf8')).version
  if (found !== version) giveUp(`${name} ${found} is installed; the patches are for ${version} exactly.`)
}
for (const [name, version] of Object.entries(PACKAGES)) if (!hasStock(name, version)) keepStock(name)
restoreStock()
for (const file of new Set(PATCHES.map((patch) => patch.file))) patchFile(file)
for (const rule of RULES) follow(rule)
for (const { from, to } of MODULES) fs.copyFileSync(join(ours, from), join(modules, to))
fs.writeFileSync(marker, `export const patchSet = '${fingerprint()}'\n`)
fs.writeFileSync(marker.replace(/js$/, 'd.ts'), 'export declare const patchSet: string\n')

/** @param {string} name @param {string} version */
function hasStock(name, version) {
  const manifest = join(stock, name, 'package.json')
  return fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version
}

/** The published files, before anything was changed in them. @param {string} name */
function keepStock(name) {
  if (name === 'ts-mls' && fs.existsSync(marker))
    giveUp('The published ts-mls is gone: remove node_modules and install again.')
  fs.rmSync(join(stock, name), { recursive: true, force: true })
  fs.cpSync(join(modules, name), join(stock, name), { recursive: true })
}

function restoreStock() {
  const files = [...PATCHES.map(({ file }) => file), ...MODULES.map(({ to }) => to), ...RULES.flatMap(scriptsOf)]
  for (const file of new Set(files)) {
    const published = join(stock, file)
    if (fs.existsSync(published)) fs.copyFileSync(published, join(modules, file))
    else fs.rmSync(join(modules, file), { force: true })
  }
}

/** What is published at that place, a script or a folder of them. @param {{ in: string }} rule @returns {string[]} */
function scriptsOf({ in: place }) {
  if (/[.](js|d[.]ts)$/.test(place)) return [place]
  const below = fs.readdirSync(join(stock, place), { recursive: true, encoding: 'utf8' })
  return below.filter((name) => name.endsWith('.js')).map((name) => join(place, name))
}

/** @param {import('../patches/ts-mls/patches.mjs').Rule} rule */
function follow(rule) {
  let found = 0
  for (const file of scriptsOf(rule)) {
    const text = fs.readFileSync(join(modules, file), 'utf8')
    found += [...text.matchAll(rule.match)].length
    fs.writeFileSync(join(modules, file), text.replace(rule.match, rule.to))
  }
  if (found !== rule.times) giveUp(`Rule ${rule.id} fits ${rule.in} ${found} times, not ${rule.times}.`)
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
