/**
 * Runs before `npm start` and `npm test`: brings what is missing. Node built-ins only, since nothing may be installed
 * yet, and none by a name that an old Node lacks, so that it lives to say that it is old.
 * `--browser`: Chromium too, for the tests.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join, resolve } from 'node:path'
import { findChromium } from './chromium.mjs'

const root = resolve(import.meta.dirname ?? '.', '..')
const PATCH = 'scripts/patch-ts-mls.mjs'
const STAMPS = {
  installed: join(root, 'node_modules/.stave-installed'),
  patched: join(root, 'node_modules/.stave-patched'),
}
const NEEDED_BYTES = 2 ** 30

checkNode()
if (!matches('installed')) install()
if (!matches('patched')) patch()
if (process.argv.includes('--browser') && findChromium() === undefined) installChromium()

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  giveUp(`Stave needs Node 20.19 or newer; this is ${process.version}.`)
}

/** @param {'installed' | 'patched'} name */
function matches(name) {
  const stamp = STAMPS[name]
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === fingerprint(name)
}

/** @param {'installed' | 'patched'} name */
function fingerprint(name) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\0`)
  for (const file of name === 'installed'
    ? ['package-lock.json']
    : ['package-lock.json', PATCH, ...filesIn('patches')]) {
    hash
      .update(`${file}\0`)
      .update(fs.readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return fs
    .readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()
}

function install() {
  checkDisk()
  console.log('Installing what Stave is built with (npm ci). This takes about a minute.')
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  run(program, [...first, ...flags], 'npm ci failed: is the package registry reachable?')
  fs.writeFileSync(STAMPS.installed, fingerprint('installed'))
}

/** npm does this as well, unless it was told to run no scripts. */
function patch() {
  run(process.execPath, [join(root, PATCH)], 'The patches of ts-mls do not fit the installed package.')
  fs.writeFileSync(STAMPS.patched, fingerprint('patched'))
}

function checkDisk() {
  const { bavail, bsize } = fs.statfsSync(root)
  if (bavail * bsize >= NEEDED_BYTES) return
  giveUp(`Stave needs 1 GiB of free disk to install; ${root} has ${Math.floor((bavail * bsize) / 2 ** 20)} MiB.`)
}

function installChromium() {
  const byHand = 'The tests need Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM_PATH.'
  if (!fs.existsSync('/etc/debian_version') || process.getuid?.() !== 0) giveUp(byHand)
  console.log('Installing Chromium for the tests (apt-get).')
  const quiet = ['-qq', '-o', 'DPkg::Lock::Timeout=300']
  run('apt-get', ['update', ...quiet], byHand)
  run('apt-get', ['install', '-y', '--no-install-recommends', ...quiet, 'chromium'], byHand)
  if (findChromium() === undefined) giveUp(byHand)
}

/** @param {string} command @param {string[]} args @param {string} otherwise */
function run(command, args, otherwise) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) giveUp(otherwise)
}

/** @param {string} why @returns {never} */
function giveUp(why) {
  console.error(why)
  process.exit(1)
}
