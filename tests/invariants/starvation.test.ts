import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { fromBase64url } from '#core/bytes/base64url.ts'
import { finish, initiate } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import { encodeFrame } from '#core/wire/frame.ts'
import type { Address } from '#core/wire/ids.ts'
import { encodeRequest } from '#core/wire/message.ts'
import type { RelayClient } from '#net/relay-client.ts'
import { startRelay } from '../../scripts/relay.mjs'
import { connectNodeRelay } from '../support/node-relay-client.ts'
import { envelopeTo, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const FLOODERS = 4
const WINDOW = 16
const REQUESTS = 600 // of each flooder: the flood ends by itself, whoever gets through
const PROBES = 20
/** How many answers the flood may get while one quiet request waits: a few rounds of everybody's window. */
const FAIR_ANSWERS = 8 * FLOODERS * WINDOW

const data = mkdtempSync(join(tmpdir(), 'stave-starvation-'))
const clients: RelayClient[] = []
let relay: Awaited<ReturnType<typeof startRelay>>

beforeAll(async () => {
  relay = await startRelay({ data, port: 0 })
}, 60_000)
afterAll(async () => {
  for (const client of clients) client.stop()
  await relay.stop()
  rmSync(data, { recursive: true, force: true })
})

async function person(seed: number): Promise<Person> {
  const client = await connectNodeRelay(relay.url)
  clients.push(client)
  return new Person(client, seed).arrive()
}

/** A client that spends nothing on what it sends: every frame is sealed beforehand, and no answer is opened. */
async function armFlood(seed: number, onAnswer: () => void): Promise<() => Promise<void>> {
  const one = await person(seed)
  const address = new Seeded(100 + seed).dice(32) as Address
  await one.open(address)
  const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/v1`, { perMessageDeflate: false })
  await new Promise((open) => socket.once('open', open))
  const { noiseKey } = (await (await fetch(`${relay.url}/realm.json`)).json()) as { noiseKey: string }
  const { message, handshake } = await initiate(PROLOGUE, fromBase64url(noiseKey))
  socket.send(message)
  const answer = await new Promise<Buffer>((first) => socket.once('message', first))
  const transport = await finish(handshake, new Uint8Array(answer))
  const frames = Array.from({ length: REQUESTS }, (_, id) => {
    const posts = [{ id: one.id(), commits: 0, envelope: envelopeTo(address) }]
    const request = encodeRequest(id, 'channel.post', { ...one.key(address), known: one.known, posts })
    return transport.seal(encodeFrame({ kind: 'last', content: request }))
  })
  return () =>
    new Promise((done, fail) => {
      let sent = 0
      let answered = 0
      const more = (): void => {
        const frame = frames[sent++]
        if (frame) socket.send(frame)
      }
      socket.on('message', () => {
        answered++
        onAnswer()
        if (answered === frames.length) {
          socket.close()
          done()
        } else more()
      })
      socket.on('error', fail)
      for (let i = 0; i < WINDOW; i++) more()
    })
}

it('[R-02] clients that keep their windows full do not keep a quiet one out, nor plain HTTP', async () => {
  let answers = 0
  const quiet = await person(50)
  const armed: (() => Promise<void>)[] = []
  for (let i = 0; i < FLOODERS; i++) armed.push(await armFlood(i, () => answers++))
  const floods = armed.map((start) => start())
  const waits: number[] = []
  for (let i = 0; i < PROBES; i++) {
    const before = answers
    if (i % 5 === 0) expect((await fetch(`${relay.url}/healthz`)).ok).toBe(true)
    else await quiet.mail()
    waits.push(answers - before)
  }
  const during = answers
  await Promise.all(floods)
  expect(Math.max(...waits)).toBeLessThan(FAIR_ANSWERS)
  expect(during, 'the flood was not over').toBeLessThan(FLOODERS * REQUESTS)
}, 120_000)
