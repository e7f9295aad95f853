import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { startRelay } from '../../scripts/relay.mjs'
import { expect, test } from './fixtures.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/start.mjs')
const started: ChildProcess[] = []

/** Asked, not killed: a start that is killed leaves its runtime running. */
test.afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'close')
  }
})

/** `npm start` without npm. `said` resolves with its output once it runs or has ended. */
function start(data: string, port: number) {
  const child = spawn(process.execPath, [SCRIPT], { env: { ...process.env, DATA: data, PORT: String(port) } })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code, output }))
  const running = new Promise<void>((done) => {
    child.stdout.on('data', () => {
      if (output.includes('Ctrl-C stops it.')) done()
    })
  })
  return { child, ended, running: Promise.race([running, ended]).then(() => output) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

const answers = (port: number) => fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok)

test('[R-01] start says where everything is, stops cleanly, and finds the same realm again', async ({ folder }) => {
  const [data, port] = [folder('data'), await freePort()]
  const first = start(data, port)
  const greeting = await first.running
  expect(greeting).toContain(`http://localhost:${port}`)
  expect(greeting).toContain('dist/extension/chrome-mv3')
  expect(greeting).toContain(data)
  expect(await answers(port)).toBe(true)
  const secrets = readFileSync(join(data, 'realm-secrets.json'), 'utf8')
  first.child.kill('SIGINT')
  expect((await first.ended).code).toBe(0)

  const second = start(data, port)
  await second.running
  expect(await answers(port)).toBe(true)
  expect(readFileSync(join(data, 'realm-secrets.json'), 'utf8')).toBe(secrets)
  second.child.kill('SIGTERM')
  expect((await second.ended).code).toBe(0)
})

test('[R-01] what stops a start is said in one line', async ({ folder }) => {
  const [data, port] = [folder('data'), await freePort()]
  const running = start(data, port)
  await running.running

  const refusals = [
    start(folder('other'), port),
    start(data, await freePort()),
    start('/proc/stave', await freePort()),
    start(SCRIPT, await freePort()),
  ]
  const said = await Promise.all(refusals.map(({ ended }) => ended))
  expect(said.map(({ code }) => code)).toEqual([1, 1, 1, 1])
  for (const { output } of said) expect(output.trim().split('\n')).toHaveLength(1)
  expect(said[0]?.output).toContain(`Port ${port} is taken`)
  expect(said[1]?.output).toContain('Another relay')
})

test('[R-01] secrets that are damaged are never replaced by new ones', async ({ folder }) => {
  const data = folder('data')
  writeFileSync(join(data, 'realm-secrets.json'), '{"noiseKey":"')
  const { code, output } = await start(data, await freePort()).ended
  expect(code).toBe(1)
  expect(output).toContain('damaged')
  expect(readFileSync(join(data, 'realm-secrets.json'), 'utf8')).toBe('{"noiseKey":"')
})

test('[I-16] a relay killed with -9, runtime or all of it, comes back on the same port and data', async ({
  folder,
}) => {
  const [data, port] = [folder('data'), await freePort()]
  const beganMs = Date.now()
  const relay = await startRelay({ data, port })
  const startMs = Date.now() - beganMs
  try {
    const before = relay.pid()
    const killedMs = Date.now()
    await relay.kill('SIGKILL')
    await expect.poll(() => answers(port).catch(() => false), { intervals: [20], timeout: 30_000 }).toBe(true)
    // Two seconds; on a machine so busy that a mere start takes longer, two of those starts.
    expect(Date.now() - killedMs).toBeLessThan(Math.max(2000, 2 * startMs))
    expect(relay.pid()).not.toBe(before)
  } finally {
    await relay.stop()
  }

  const killed = start(data, port)
  await killed.running
  killed.child.kill('SIGKILL') // its runtime is left running, with the port and the databases open
  await killed.ended
  const next = start(data, port)
  expect(await next.running).toContain('Stave is running')
  next.child.kill('SIGINT')
  expect((await next.ended).code).toBe(0)
})
