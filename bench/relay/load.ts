import WebSocket from 'ws'
import { fromBase64url } from '#core/bytes/base64url.ts'
import { finish, initiate } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import type { Transport } from '#core/noise/transport.ts'
import { encodeFrame, framesOf } from '#core/wire/frame.ts'
import type { Address } from '#core/wire/ids.ts'
import { encodeRequest } from '#core/wire/message.ts'
import { PROTOCOL_VERSION } from '#core/wire/versions.ts'
import { connectNodeRelay } from '../../tests/support/node-relay-client.ts'
import { envelopeTo, Person } from '../../tests/support/relay/person.ts'

export type Load = { readonly requests: number; readonly posts: number; readonly window: number }

/** Sends each frame once, with so many unanswered at any time. @returns milliseconds until the last answer */
export async function drive(socket: WebSocket, frames: readonly Uint8Array[], window: number): Promise<number> {
  const startMs = performance.now()
  await new Promise<void>((done, fail) => {
    let sent = 0
    let answered = 0
    const more = (): void => {
      const frame = frames[sent++]
      if (frame !== undefined) socket.send(frame)
    }
    socket.on('message', () => {
      if (++answered === frames.length) done()
      else more()
    })
    socket.once('close', () => fail(new Error('closed')))
    for (let i = 0; i < window; i++) more()
  })
  socket.removeAllListeners('close')
  socket.close()
  return performance.now() - startMs
}

export async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false })
  await new Promise((open, fail) => {
    socket.once('open', open)
    socket.once('error', fail)
  })
  return socket
}

/** Frames a second of the bare object. */
export async function bare(url: string, path: '/echo' | '/insert', load: Load): Promise<number> {
  const socket = await connect(url + path)
  const frames = Array.from({ length: load.requests }, () => new Uint8Array(512))
  return (load.requests * 1000) / (await drive(socket, frames, load.window))
}

export async function openTransport(url: string, socket: WebSocket): Promise<Transport> {
  const { noiseKey } = (await (await fetch(`${url}/realm.json`)).json()) as { noiseKey: string }
  const { message, handshake } = await initiate(PROLOGUE, fromBase64url(noiseKey))
  socket.send(message)
  const answer = await new Promise<Buffer>((first) => socket.once('message', first))
  return finish(handshake, new Uint8Array(answer))
}

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length))
const newSeed = (): number => new DataView(random(4).buffer as ArrayBuffer).getUint32(0)

/** All frames are sealed beforehand and no answer is opened: what is measured is the relay. */
async function arm(url: string, { requests, posts, window }: Load, readers: number): Promise<() => Promise<number>> {
  const client = await connectNodeRelay(url)
  const writer = await new Person(client, newSeed()).arrive()
  const address = random(32) as Address
  await writer.open(address)
  const others = await Promise.all(
    Array.from({ length: readers }, async () => {
      const other = await connectNodeRelay(url)
      return { client: other, person: await new Person(other, newSeed()).arrive() }
    }),
  )
  const add = others.map(({ person }) => person.asSeat())
  const commits = add.length > 0 ? 1 : 0
  if (add.length > 0) await writer.commit(address, { seats: { add, remove: [] } })
  const socket = await connect(`${url}/v1`)
  const transport = await openTransport(url, socket)
  const frames = Array.from({ length: requests }, (_, id) => {
    const made = Array.from({ length: posts }, () => ({ id: writer.id(), commits, envelope: envelopeTo(address) }))
    const args = { ...writer.key(address), known: writer.known, posts: made }
    const [frame, ...more] = framesOf(encodeRequest(id, 'channel.post', args))
    if (frame === undefined || more.length > 0) throw new Error('more than a frame')
    return transport.seal(encodeFrame(frame))
  })
  return async () => {
    const ms = await drive(socket, frames, window)
    client.stop()
    for (const other of others) other.client.stop()
    return ms
  }
}

/** Messages a second that the relay orders and has on its disk; `readers` are connected seats that are told of each. */
export async function relay(url: string, load: Load, readers = 0): Promise<number> {
  const run = await arm(url, load, readers)
  return (load.requests * load.posts * 1000) / (await run())
}

/** Milliseconds of each round trip of a quiet client, while so many others keep their windows full. */
export async function quiet(url: string, load: Load, flooders: number, probes: number): Promise<number[]> {
  const client = await connectNodeRelay(url)
  const waits: number[] = []
  const runs = await Promise.all(Array.from({ length: flooders }, () => arm(url, load, 0)))
  let over = false
  const floods = Promise.all(runs.map((run) => run())).then(() => {
    over = flooders > 0
  })
  while (waits.length < probes && !over) {
    const startMs = performance.now()
    await client.call('session.hello', { version: PROTOCOL_VERSION })
    if (!over) waits.push(performance.now() - startMs)
    await new Promise((rest) => setTimeout(rest, 3))
  }
  await floods
  client.stop()
  return waits
}
