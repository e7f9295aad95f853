import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { chromium } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { xWing } from '#core/crypto/x-wing.ts'
import { findChromium } from '../../../../scripts/chromium.mjs'
import { checkEngine, type Peer, type Report } from './engine-check.ts'
import { seededDice } from './support.ts'

const TIMEOUT_MS = 120_000
const entry = resolve(import.meta.dirname, 'engine-check.ts')
const root = resolve(import.meta.dirname, '../../../..')
let peer: Peer

async function bundle(contents: string, conditions: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { checkEngine } from ${JSON.stringify(entry)}\n${contents}`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

async function expectGood(report: Report, halves: string[]): Promise<void> {
  expect(report).toMatchObject({ opened: true, byHandle: true, lives: 2 })
  expect(report.handles).toEqual(halves.map((name) => ({ name, extractable: false })))
  const enc = Uint8Array.from(Buffer.from(report.enc, 'hex'))
  const shared = await xWing.decap({ bytes: Uint8Array.from(Buffer.from(peer.seed, 'hex')) }, enc)
  expect(toHex(shared), 'what it sealed, opens here').toBe(report.shared)
}

beforeAll(async () => {
  const { privateKey, publicKey } = await xWing.generate(seededDice('peer'))
  const { enc, shared } = await xWing.encap(publicKey, seededDice('peer enc'))
  peer = {
    seed: toHex(privateKey.bytes),
    publicKey: toHex(publicKey.bytes),
    enc: toHex(enc),
    shared: toHex(shared),
  }
})

describe('[C-01] the MLS engine runs', () => {
  it('in Node', async () => expectGood(await checkEngine(peer), ['x25519']), TIMEOUT_MS)

  it(
    'in workerd',
    async () => {
      const script = await bundle(
        'export default { async fetch(request) { return Response.json(await checkEngine(await request.json())) } }',
        ['workerd', 'worker'],
      )
      const workerd = new Miniflare({ modules: true, script, compatibilityDate: '2026-04-01' })
      try {
        const reply = await workerd.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(peer) })
        await expectGood((await reply.json()) as Report, ['x25519'])
      } finally {
        await workerd.dispose()
      }
    },
    TIMEOUT_MS,
  )

  const executablePath = findChromium()
  it.skipIf(executablePath === undefined).each(['page', 'module service worker'])(
    'in a Chromium %s, with the ML-KEM of the browser',
    async (where) => {
      const files = new Map([
        ['/page.js', await bundle('globalThis.checkEngine = checkEngine')],
        [
          '/worker.js',
          await bundle(`addEventListener('install', () => skipWaiting())
            addEventListener('activate', (event) => event.waitUntil(clients.claim()))
            addEventListener('message', async ({ data, ports }) => {
              try { ports[0].postMessage(await checkEngine(data)) } catch (error) { ports[0].postMessage(String(error.stack)) }
            })`),
        ],
      ])
      const server = createServer((request, response) => {
        const script = files.get(request.url ?? '')
        response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
        response.end(script ?? '<!doctype html><title>engine</title><script type="module" src="/page.js"></script>')
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
      try {
        const page = await browser.newPage()
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
        const run = where === 'page' ? 'globalThis.checkEngine(peer)' : 'viaWorker(peer)'
        const report = await page.evaluate<Report | string>(`(async () => {
          const peer = ${JSON.stringify(peer)}
          const viaWorker = async (data) => {
            await navigator.serviceWorker.register('/worker.js', { type: 'module' })
            const { active } = await navigator.serviceWorker.ready
            const { port1, port2 } = new MessageChannel()
            return new Promise((done) => {
              port1.onmessage = (event) => done(event.data)
              active.postMessage(data, [port2])
            })
          }
          return ${run}
        })()`)
        if (typeof report === 'string') throw new Error(report)
        await expectGood(report, ['x25519', 'ml-kem'])
      } finally {
        await browser.close()
        server.close()
      }
    },
    TIMEOUT_MS,
  )
})
