/** The folder in which a realm lies: its storage, its secrets, and the lock that keeps a second relay out. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const NEEDED_BYTES = 64 * 2 ** 20

/** What stops a start, told to a person in one line. */
export class StartError extends Error {}

/**
 * @typedef {{ NOISE_KEY: string, LIST_KEY: string, DROP_KEY: string, INCARNATION: string }} RealmBindings
 * @param {string} data
 * @returns {{ folder: string, storage: string, bindings: RealmBindings } & ReturnType<typeof takeLock>}
 */
export function openRealmFolder(data) {
  const folder = resolve(data)
  const storage = join(folder, 'do')
  attempt(folder, () => makeFolder(storage))
  checkDisk(folder)
  const lock = takeLock(folder)
  try {
    const secrets = readOrMake(join(folder, 'realm-secrets.json'), makeSecrets, parseSecrets)
    const incarnation = readOrMake(join(folder, 'incarnation'), () => key(16), parseIncarnation)
    return { folder, storage, bindings: { ...secrets, INCARNATION: incarnation }, ...lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Not `recursive: true`, which turns for ever where a parent answers ENOENT (/proc). @param {string} path */
function makeFolder(path) {
  try {
    mkdirSync(path)
  } catch (error) {
    if (code(error) === 'ENOENT' && dirname(path) !== path) {
      makeFolder(dirname(path))
      mkdirSync(path)
    } else if (!statSync(path).isDirectory()) throw error
  }
}

/** @param {number} bytes */
const key = (bytes) => randomBytes(bytes).toString('base64url')

const makeSecrets = () => `${JSON.stringify({ noiseKey: key(32), listKey: key(32), dropKey: key(32) }, undefined, 2)}\n`

/** @param {string} text */
function parseSecrets(text) {
  const { noiseKey, listKey, dropKey } = JSON.parse(text)
  const all = [noiseKey, listKey, dropKey]
  if (!all.every((one) => typeof one === 'string' && Buffer.from(one, 'base64url').length === 32))
    throw new Error('keys')
  return { NOISE_KEY: noiseKey, LIST_KEY: listKey, DROP_KEY: dropKey }
}

/** @param {string} text */
function parseIncarnation(text) {
  if (Buffer.from(text.trim(), 'base64url').length !== 16) throw new Error('incarnation')
  return text.trim()
}

/**
 * A realm that lost its secrets is another realm: a file that is there but broken is never replaced by a new one.
 * @template T
 * @param {string} path @param {() => string} make @param {(text: string) => T} parse @returns {T}
 */
function readOrMake(path, make, parse) {
  let text = attempt(path, () => readIfThere(path))
  if (text === undefined) {
    const made = make()
    attempt(path, () => writeDurably(path, made))
    text = made
  }
  try {
    return parse(text)
  } catch {
    throw new StartError(
      `${path} is damaged. Put it back from a backup; with other secrets the realm would be another one.`,
    )
  }
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined
    throw error
  }
}

/** @param {string} path @param {string} text */
function writeDurably(path, text) {
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

/**
 * The lock names its holder and the runtime that it started: a holder that is killed leaves its runtime running, with
 * the port and the databases open, and the next start has to end it.
 * @param {string} folder
 * @returns {{ release: () => void, nameRuntime: (pid: number) => void, foundOrphan: boolean }}
 */
function takeLock(folder) {
  const path = join(folder, 'lock')
  const self = birth(process.pid) ?? ''
  let foundOrphan = false
  for (let tries = 0; tries < 3; tries++) {
    try {
      writeFileSync(path, self, { flag: 'wx' })
      return { ...holdLock(path, self), foundOrphan }
    } catch (error) {
      if (code(error) !== 'EEXIST') throw unwritable(folder, error)
    }
    const [holder = '', orphan = ''] = (readIfThere(path) ?? '').split('\n')
    if (isAlive(holder)) {
      throw new StartError(
        `Another relay (process ${pidOf(holder)}) runs on ${folder}. Stop it, or set DATA to another folder.`,
      )
    }
    foundOrphan ||= orphan !== ''
    if (isAlive(orphan)) end(orphan)
    rmSync(path, { force: true }) // its holder died without a word
  }
  throw new StartError(`${path} is being taken by another start. Try again.`)
}

/** @param {string} path @param {string} self */
function holdLock(path, self) {
  let held = true
  return {
    nameRuntime: (/** @type {number} */ pid) => writeFileSync(path, `${self}\n${birth(pid) ?? ''}`),
    release: () => {
      if (held) rmSync(path, { force: true })
      held = false
    },
  }
}

/** @param {string} one @returns {number} */
const pidOf = (one) => Number.parseInt(one, 10)

/** @param {string} one */
const isAlive = (one) => pidOf(one) > 0 && birth(pidOf(one)) === one

/** @param {string} one */
function end(one) {
  process.kill(pidOf(one), 'SIGKILL')
  const untilMs = Date.now() + 5000
  while (isAlive(one) && Date.now() < untilMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
}

/**
 * A process by its number and, where the system tells, the moment it was born: numbers are used again after a reboot.
 * @param {number} pid
 */
function birth(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : `${pid} ${rest[18]}`
  } catch {
    // no /proc: a living process has to do
  }
  try {
    process.kill(pid, 0)
    return String(pid)
  } catch (error) {
    return code(error) === 'EPERM' ? String(pid) : undefined
  }
}

/** @param {string} folder */
function checkDisk(folder) {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= NEEDED_BYTES) return
  throw new StartError(
    `No disk space for ${folder}: 64 MiB are needed, ${Math.floor((bavail * bsize) / 2 ** 20)} are free.`,
  )
}

/** @template T @param {string} path @param {() => T} act @returns {T} */
function attempt(path, act) {
  try {
    return act()
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** @param {string} path @param {unknown} error */
function unwritable(path, error) {
  if (code(error) === 'ENOSPC') return new StartError(`No disk space for ${path}.`)
  return new StartError(`${path} can't be used for the realm's data (${code(error) ?? error}).`)
}

/** @param {unknown} error @returns {string | undefined} */
function code(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
