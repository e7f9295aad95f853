/**
 * Installs OpenMLS (GPL-3.0) for tests/differential and bench/mls, where it is not there yet. It has a folder and a lock file of its own:
 * the product never depends on it, and an ordinary install never fetches it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../tests/differential/peer')

export function isPeerInstalled() {
  return existsSync(join(folder, 'node_modules/@wireapp/core-crypto/package.json'))
}

if (process.argv[1] === import.meta.filename) {
  if (isPeerInstalled()) process.exit(0)
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' })
  process.exit(status ?? 1)
}
