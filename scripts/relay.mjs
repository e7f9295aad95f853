/** The relay on this machine: the built Worker on workerd, its storage in a folder, started again whenever it dies. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { openRealmFolder, StartError } from './realm-folder.mjs'

const root = resolve(import.meta.dirname, '..')
const STEADY_MS = 10_000
const WAITS_MS = [0, 250, 500, 750, 1000]

/**
 * @typedef {object} RelayOptions
 * @property {string} data where the realm lies
 * @property {number} [port] 0: any free one
 * @property {string} [host]
 * @property {string} [dist] the folder of the build
 * @property {Reserved} [reserved] what `reserve` answered, when something else had to be done in between
 * @property {boolean} [supervise] start workerd again when it dies (default true)
 * @property {(line: string) => void} [onNotice] a death and a new start, in a sentence
 * @property {(chunk: string) => void} [onOutput] whatever the runtime writes to its output
 * @property {(error: Error) => void} [onGivenUp] it died again and again
 *
 * @typedef {object} Relay
 * @property {string} url ends without a slash
 * @property {string} data
 * @property {() => number | undefined} pid of workerd, while it runs
 * @property {() => Promise<void>} ready resolves once it answers, now or after the restart under way
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill resolves once workerd is dead
 * @property {() => Promise<void>} restart on the same port and data
 * @property {() => Promise<void>} stop
 *
 * @param {RelayOptions} options
 * @returns {Promise<Relay>}
 */
export async function startRelay(options) {
  const { host = '127.0.0.1', supervise = true, dist = join(root, 'dist') } = options
  const onNotice = options.onNotice ?? (() => undefined)
  const { port, realm } = options.reserved ?? (await reserve(options))

  /** @type {Runtime | undefined} */
  let runtime
  let stopped = false
  let deaths = 0
  /** @type {Promise<void>} */
  let turn = Promise.resolve()

  /** One start or stop at a time. @param {() => Promise<void>} act */
  const inTurn = (act) => {
    turn = turn.catch(() => undefined).then(act)
    turn.catch(() => undefined)
    return turn
  }

  const launch = async () => {
    const started = await startRuntime({ host, port, dist, realm, onOutput: options.onOutput })
    const bornMs = Date.now()
    runtime = started
    realm.nameRuntime(started.pid)
    started.exit.then((signal) => {
      if (runtime !== started) return
      runtime = undefined
      if (stopped || !supervise) return
      deaths = Date.now() - bornMs > STEADY_MS ? 0 : deaths + 1
      void inTurn(() => revive(started, signal))
    })
  }

  /** @param {Runtime} dead @param {string} signal */
  const revive = async (dead, signal) => {
    const diedMs = Date.now()
    await dead.dispose()
    while (!stopped && runtime === undefined) {
      const waitMs = WAITS_MS[Math.max(0, deaths - 1)]
      if (waitMs === undefined) {
        options.onGivenUp?.(new StartError('The relay died again and again, and was given up.'))
        return
      }
      await new Promise((done) => setTimeout(done, waitMs))
      if (stopped) return
      try {
        await launch()
        onNotice(`The relay died (${signal}) and is back after ${Date.now() - diedMs} ms.`)
      } catch {
        deaths++ // a start that fails is one more death
      }
    }
  }

  const halt = async () => {
    const running = runtime
    runtime = undefined
    await running?.dispose()
  }

  try {
    await launch()
  } catch (error) {
    realm.release()
    throw error
  }

  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`,
    data: realm.folder,
    pid: () => runtime?.pid,
    ready: () => turn,
    kill: async (signal = 'SIGKILL') => {
      const running = runtime
      if (running === undefined) return
      process.kill(running.pid, signal)
      await running.exit
    },
    restart: () =>
      inTurn(async () => {
        if (stopped) return
        await halt()
        await launch()
      }),
    stop: () => {
      stopped = true
      return inTurn(async () => {
        await halt()
        realm.release()
      })
    },
  }
}

/**
 * Takes port and folder, so that what is wrong with them is said before a long build.
 * @typedef {{ port: number, realm: ReturnType<typeof openRealmFolder> }} Reserved
 * @param {Pick<RelayOptions, 'host' | 'port' | 'data'>} options
 * @returns {Promise<Reserved>}
 */
export async function reserve({ host = '127.0.0.1', port = 0, data }) {
  const realm = openRealmFolder(data)
  try {
    return { port: await freePort(host, port, realm.foundOrphan ? Date.now() + ORPHAN_MS : 0), realm }
  } catch (error) {
    realm.release()
    throw error
  }
}

/**
 * @typedef {{ pid: number, exit: Promise<string>, dispose: () => Promise<void> }} Runtime
 * @param {{ host: string, port: number, dist: string, realm: ReturnType<typeof openRealmFolder>, onOutput: RelayOptions['onOutput'] }} settings
 * @returns {Promise<Runtime>}
 */
async function startRuntime({ host, port, dist, realm, onOutput }) {
  const script = join(dist, 'worker/index.js')
  // A connection's object stores nothing, and workerd keeps a file for it all the same: none outlives the process.
  rmSync(join(realm.storage, 'stave-Session'), { recursive: true, force: true })
  if (!existsSync(script)) throw new StartError(`${script} is missing: run npm run build first.`)
  const { date, flags, objects, workerFirst } = deployment()
  /** @type {import('node:child_process').ChildProcess[]} */
  const born = []
  /** @param {unknown} message */
  const onBirth = (message) =>
    born.push(/** @type {{ process: import('node:child_process').ChildProcess }} */ (message).process)
  subscribe('child_process', onBirth)
  const output = onOutput ?? ((chunk) => process.stderr.write(chunk))
  const miniflare = new Miniflare({
    host,
    port,
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    handleRuntimeStdio: (out, err) => {
      for (const stream of [out, err]) stream.setEncoding('utf8').on('data', output)
    },
    name: 'stave',
    modules: true,
    scriptPath: script,
    modulesRoot: dirname(script),
    modulesRules: [{ type: 'ESModule', include: ['**/*.js'] }],
    compatibilityDate: date,
    compatibilityFlags: flags,
    durableObjects: Object.fromEntries(objects.map(([name, className]) => [name, { className, useSQLite: true }])),
    durableObjectsPersist: realm.storage,
    bindings: realm.bindings,
    assets: {
      directory: join(dist, 'pwa'),
      binding: 'ASSETS',
      routerConfig: {
        has_user_worker: true,
        static_routing: { user_worker: workerFirst },
      },
      assetConfig: { not_found_handling: 'single-page-application', html_handling: 'auto-trailing-slash' },
    },
  })
  try {
    await miniflare.ready
  } catch (error) {
    await miniflare.dispose().catch(() => undefined)
    throw error
  } finally {
    unsubscribe('child_process', onBirth)
  }
  const child = born.find(({ spawnargs }) => spawnargs.some((arg) => arg.endsWith(`=${host}:${port}`)))
  if (child?.pid === undefined) throw new StartError('The runtime did not start.')
  const exit = new Promise((/** @type {(signal: string) => void} */ done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.signalCode ?? `exit ${child.exitCode}`)
    child.once('exit', (exitCode, signal) => done(signal ?? `exit ${exitCode}`))
  })
  return { pid: child.pid, exit, dispose: () => miniflare.dispose().catch(() => undefined) }
}

/** What is deployed to the edge and what runs here are said in one place, wrangler.toml. */
function deployment() {
  const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  /** @param {string} key */
  const value = (key) => JSON.parse(new RegExp(`^${key} = (.+)$`, 'm').exec(toml)?.[1] ?? 'null')
  return {
    date: value('compatibility_date'),
    flags: value('compatibility_flags'),
    workerFirst: value('run_worker_first'),
    objects: [...toml.matchAll(/^name = "([A-Z]+)"\nclass_name = "(\w+)"$/gm)].map(([, name = '', type = '']) => [
      name,
      type,
    ]),
  }
}

/** A runtime that was ended keeps its port until the last of its threads is gone. */
const ORPHAN_MS = 10_000

/** @param {string} host @param {number} port @param {number} untilMs that it is tried again while somebody has it @returns {Promise<number>} */
async function freePort(host, port, untilMs) {
  for (;;) {
    try {
      return await probePort(host, port)
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || Date.now() >= untilMs) throw portError(/** @type {NodeJS.ErrnoException} */ (error), host, port)
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** @param {string} host @param {number} port @returns {Promise<number>} */
function probePort(host, port) {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}

/** @param {NodeJS.ErrnoException} error @param {string} host @param {number} port */
function portError(error, host, port) {
  if (error.code === 'EADDRINUSE')
    return new StartError(`Port ${port} is taken. Stop what uses it, or set PORT to another.`)
  return new StartError(`Port ${port} of ${host} can't be used (${error.code}).`)
}
