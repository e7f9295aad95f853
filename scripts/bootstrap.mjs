/**
 * Runs before `npm start` and `npm test`: brings what is missing. Node built-ins only, since nothing may be installed
 * yet, and none by a name that an old Node lacks, so that it lives to say that it is old.
 * `--browser`: Chromium too, for the tests.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findChromium } from './chromium.mjs'

const root = resolve(import.meta.dirname ?? '.', '..')
const STAMP = join(root, 'node_modules/.stave-installed')
const NEEDED_BYTES = 2 ** 30

checkNode()
if (!isInstalled()) install()
if (process.argv.includes('--browser') && findChromium() === undefined) installChromium()

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  giveUp(`Stave needs Node 20.19 or newer; this is ${process.version}.`)
}

function isInstalled() {
  return fs.existsSync(STAMP) && fs.readFileSync(STAMP, 'utf8') === fingerprint()
}

/** What is installed follows from these alone. */
function fingerprint() {
  const patches = join(root, 'patches')
  const files = [
    'package-lock.json',
    'scripts/patch-ts-mls.mjs',
    ...(fs.existsSync(patches)
      ? fs
          .readdirSync(patches, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join('patches', relative(patches, entry.parentPath), entry.name))
          .sort()
      : []),
  ]
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\0`)
  for (const file of files) {
    const path = join(root, file)
    if (fs.existsSync(path)) hash.update(`${file}\0`).update(fs.readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

function install() {
  checkDisk()
  console.log('Installing what Stave is built with (npm ci). This takes about a minute.')
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  if (npm === undefined) run('npm', flags, 'npm ci failed: is the package registry reachable?')
  else run(process.execPath, [npm, ...flags], 'npm ci failed: is the package registry reachable?')
  const patch = join(root, 'scripts/patch-ts-mls.mjs')
  if (fs.existsSync(patch)) run(process.execPath, [patch], 'The patches of ts-mls do not fit the installed package.')
  fs.mkdirSync(join(root, 'node_modules'), { recursive: true })
  fs.writeFileSync(STAMP, fingerprint())
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
