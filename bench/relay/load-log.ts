import { encodeFrame, framesOf } from '#core/wire/frame.ts'
import { encodeRequest } from '#core/wire/message.ts'
import { connectNodeRelay } from '../../tests/support/node-relay-client.ts'
import { follow, Keeper } from '../../tests/support/relay/keeper.ts'
import { connect, drive, openTransport } from './load.ts'

export type LogLoad = { readonly requests: number; readonly entries: number; readonly window: number }

/** Entries a second that a log takes and has on its disk. Each request names the end that the one before will leave. */
export async function push(url: string, load: LogLoad): Promise<number> {
  const { log, client } = await open(url)
  let { place } = log
  const requests = Array.from({ length: load.requests }, (_, id) => {
    const entries = log.entries(load.entries)
    const request = encodeRequest(id, 'log.append', { ...log.key, after: place, entries })
    place = follow(place, entries)
    return request
  })
  const rate = await run(url, load, requests)
  const { last } = await log.fetch(place.position)
  if (last.position !== load.requests * load.entries) throw new Error('not all of them are there')
  client.stop()
  return rate
}

/** Entries a second that a device reads, page by page and over again. */
export async function pull(url: string, load: LogLoad): Promise<number> {
  const { log, client } = await open(url)
  for (let page = 0; page < PAGES; page++) await log.append(log.entries(load.entries))
  const requests = Array.from({ length: load.requests }, (_, id) =>
    encodeRequest(id, 'log.fetch', { ...log.key, after: (id % PAGES) * load.entries }),
  )
  const rate = await run(url, load, requests)
  client.stop()
  return rate
}

const PAGES = 16

async function open(url: string) {
  const client = await connectNodeRelay(url)
  const [seed = 0] = crypto.getRandomValues(new Uint32Array(1))
  const log = await Keeper.make(client, seed)
  await log.open()
  return { log, client }
}

/** Sealed beforehand, and no answer is opened: what is measured is the relay. */
async function run(url: string, { entries, window }: LogLoad, requests: readonly Uint8Array[]): Promise<number> {
  const socket = await connect(`${url}/v1`)
  const transport = await openTransport(url, socket)
  const frames = requests.map((request) => {
    const [frame, ...more] = framesOf(request)
    if (frame === undefined || more.length > 0) throw new Error('more than a frame')
    return transport.seal(encodeFrame(frame))
  })
  return (requests.length * entries * 1000) / (await drive(socket, frames, window))
}
