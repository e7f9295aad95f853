import { beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { respond } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import type { Transport } from '#core/noise/transport.ts'
import { decodeFrame, encodeFrame } from '#core/wire/frame.ts'
import { NoiseSocket } from '#net/noise-socket.ts'
import { Seeded } from '../../support/seeded.ts'
import { Wire } from './wire.ts'

const relayKey = await dhKeyPairFrom(sha256(Uint8Array.of(1)))
const otherKey = await dhKeyPairFrom(sha256(Uint8Array.of(2)))

let wire: Wire
let socket: NoiseSocket
let events: string[]
let happened: (event: string) => void

/** Resolves with what the socket says next. */
function said(): Promise<string> {
  return new Promise((resolve) => {
    happened = resolve
  })
}

beforeEach(() => {
  wire = new Wire()
  events = []
  happened = () => {}
  const note = (event: string): void => {
    events.push(event)
    happened(event)
  }
  socket = new NoiseSocket(wire, relayKey.publicKey, new Seeded(1).dice, {
    onOpen: () => note('open'),
    onFrame: () => {},
    onMessage: (message) => note(`message of ${message.length}`),
    onClose: (why) => note(why),
  })
})

async function opened(): Promise<Transport> {
  wire.onopen?.()
  const answer = await respond(PROLOGUE, relayKey, await wire.next())
  const open = said()
  wire.deliver(answer.message)
  await open
  return answer.transport
}

describe('Noise in a socket', () => {
  it('[T-01] opens to who holds the pinned key, and then carries frames of a bucket alone', async () => {
    const relay = await opened()
    socket.send(new Uint8Array(300))
    const frame = await wire.next()
    expect(frame.length).toBe(512)
    expect(decodeFrame(relay.open(frame)).content).toHaveLength(300)
    const heard = said()
    wire.deliver(relay.seal(encodeFrame({ kind: 'more', content: new Uint8Array(10) })))
    wire.deliver(relay.seal(encodeFrame({ kind: 'cover', content: new Uint8Array(1) })))
    wire.deliver(relay.seal(encodeFrame({ kind: 'last', content: new Uint8Array(5) })))
    expect(await heard).toBe('message of 15')
  })

  it('[T-01] says so when the relay holds another key: by closing, or by an answer that does not fit', async () => {
    wire.onopen?.()
    await expect(respond(PROLOGUE, otherKey, await wire.next())).rejects.toThrow()
    wire.onclose?.({ code: 4400 })
    expect(events).toEqual(['wrong-key'])
  })

  it('[T-01] takes an answer under another key for what it is, and nothing is sent before it is open', async () => {
    wire.onopen?.()
    await wire.next()
    socket.send(new Uint8Array(3))
    socket.cover()
    expect(wire.sent).toEqual([])
    const closed = said()
    wire.deliver(new Uint8Array(48).fill(9))
    expect(await closed).toBe('wrong-key')
  })

  it('[I-10] ends the connection, once, at a frame that was changed, replayed or is no bytes', async () => {
    const relay = await opened()
    const closed = said()
    wire.deliver(relay.seal(encodeFrame({ kind: 'last', content: new Uint8Array(5) })).with(7, 1))
    expect(await closed).toBe('lost')
    wire.onclose?.({ code: 4400 })
    wire.onerror?.()
    expect(events).toEqual(['open', 'lost'])
  })

  it('[R-06] never takes a text for the length of something', async () => {
    await opened()
    const closed = said()
    const before = process.memoryUsage().arrayBuffers
    wire.onmessage?.({ data: '1500000000' })
    expect(await closed).toBe('lost')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
  })
})
