import { beforeEach, describe, expect, it } from 'vitest'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { respond } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import type { Transport } from '#core/noise/transport.ts'
import { encodeFrame, framesOf } from '#core/wire/frame.ts'
import type { Address, SeatId, Token } from '#core/wire/ids.ts'
import { encodeReply } from '#core/wire/message.ts'
import { RelayClient } from '#net/relay-client.ts'
import { Seeded } from '../../support/seeded.ts'
import { Timeline } from '../../support/sim/timeline.ts'
import { Wire } from './wire.ts'

const relayKey = await dhKeyPairFrom(new Uint8Array(32).fill(5))
const key = relayKey.publicKey
const piece = {
  address: new Uint8Array(32) as Address,
  seat: new Uint8Array(16) as SeatId,
  token: new Uint8Array(32) as Token,
  stash: new Uint8Array(16),
  n: 0,
}

describe('a relay client without a relay', () => {
  it('[T-01] refuses at once what it can not send, and tries again later each time', async () => {
    const timeline = new Timeline(0)
    const tries: number[] = []
    const states: string[] = []
    const client = new RelayClient({
      clock: timeline.clock(() => false),
      dice: new Seeded(1).dice,
      openSocket: () => {
        tries.push(timeline.nowMs)
        throw new Error('no network')
      },
      fetchJson: async () => ({ noiseKey: 'AAAA' }),
    })
    await expect(client.call('session.hello', { version: 1 })).rejects.toMatchObject({ code: 'relay/unreachable' })
    client.start(
      { origin: 'https://realm.example', noiseKey: key },
      { onState: ({ state }) => states.push(state), onPush: () => {} },
    )
    for (let i = 0; i < 4; i++) timeline.step()
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0))
    expect(waits).toHaveLength(4)
    expect([...waits].sort((a, b) => a - b)).toEqual(waits)
    expect(states.slice(0, 3)).toEqual(['connecting', 'offline', 'connecting'])
    client.stop()
    expect(timeline.nextMs).toBeUndefined()
    await expect(client.askRealmKey('https://realm.example')).rejects.toMatchObject({ code: 'realm/not-a-realm' })
  })
})

describe('a relay client on a line', () => {
  let timeline: Timeline
  let client: RelayClient
  let wires: Wire[]
  let states: string[]
  let heard: (state: string) => void
  const next = () => new Promise<string>((resolve) => (heard = resolve))

  beforeEach(() => {
    timeline = new Timeline(0)
    wires = []
    states = []
    heard = () => {}
    client = new RelayClient({
      clock: timeline.clock(() => false),
      dice: new Seeded(1).dice,
      openSocket: () => {
        const wire = new Wire()
        wires.push(wire)
        return wire
      },
      fetchJson: async () => ({}),
    })
    const onState = ({ state }: { readonly state: string }): void => {
      states.push(state)
      heard(state)
    }
    client.start({ origin: 'https://realm.example', noiseKey: key }, { onState, onPush: () => {} })
  })

  async function opened(): Promise<{ wire: Wire; relay: Transport }> {
    const wire = wires.at(-1)
    if (wire === undefined) throw new Error('no socket')
    wire.onopen?.()
    const answer = await respond(PROLOGUE, relayKey, await wire.next())
    const online = next()
    wire.deliver(answer.message)
    expect(await online).toBe('online')
    return { wire, relay: answer.transport }
  }

  /** Each frame of an answer, so far apart: the socket takes them one after the other, without a clock. */
  async function deliver(wire: Wire, frames: readonly Uint8Array[], apartMs: number): Promise<void> {
    for (const frame of frames) {
      for (const end = timeline.nowMs + apartMs; timeline.nowMs < end; ) {
        if ((timeline.nextMs ?? end) < end) timeline.step()
        else timeline.moveTo(end)
      }
      wire.deliver(frame)
      await new Promise<void>((resolve) => setImmediate(resolve)) // what is queued in the socket
    }
  }

  it('[T-01] [U-03] takes an answer that takes minutes, as long as something of it comes', async () => {
    const { wire, relay } = await opened()
    const answer = client.call('channel.unstash', piece)
    await wire.next()
    const bytes = new Uint8Array(500_000).fill(7)
    const frames = framesOf(encodeReply<'channel.unstash'>(1, { bytes })).map((one) => relay.seal(encodeFrame(one)))
    await deliver(wire, frames, 15_000)
    expect((await answer).bytes).toEqual(bytes)
    expect(timeline.nowMs).toBeGreaterThan(120_000)
    expect(states).not.toContain('offline')
    expect(timeline.nextMs, 'and nothing is waited for any more').toBeUndefined()
  })

  it('[T-01] gives a relay up that is not heard of for twenty seconds, and one that answers everything but this after ten minutes', async () => {
    await opened()
    const asked = client.call('channel.unstash', piece)
    timeline.step()
    await expect(asked).rejects.toMatchObject({ code: 'relay/unreachable' })
    expect(states.at(-1)).toBe('offline')
    expect(timeline.nowMs).toBeLessThan(20_100)
    while (wires.length < 2) timeline.step()
    const { wire, relay } = await opened()
    const since = timeline.nowMs
    const again = client.call('channel.unstash', piece)
    const nothing = Array.from({ length: 80 }, () => ({ kind: 'cover', content: new Uint8Array() }) as const)
    const lost = expect(again).rejects.toMatchObject({ code: 'relay/unreachable' })
    await deliver(
      wire,
      nothing.map((one) => relay.seal(encodeFrame(one))),
      10_000,
    )
    await lost
    expect(timeline.nowMs - since).toBeGreaterThanOrEqual(600_000)
  })

  it('[U-03] waits for what is on its way up on a slow line', async () => {
    await opened()
    const stash = { id: new Uint8Array(16), pieces: 1 }
    const { n: _, stash: __, ...seat } = piece
    const asked = client.call('channel.stash', { ...seat, stash, n: 0, bytes: new Uint8Array(500_000) })
    const lost = expect(asked).rejects.toMatchObject({ code: 'relay/unreachable' })
    timeline.step()
    await lost
    expect(timeline.nowMs).toBeGreaterThan(140_000)
  })

  it('[U-03] asks whether the relay is there when somebody looks after a while, and is offline when it is not', async () => {
    const { wire, relay } = await opened()
    client.nudge()
    expect(timeline.nextMs, 'it was heard of just now').toBeUndefined()
    timeline.moveTo(60_000)
    client.nudge()
    await wire.next()
    await deliver(wire, [relay.seal(encodeFrame({ kind: 'cover', content: new Uint8Array() }))], 1_000)
    expect(timeline.nextMs).toBeUndefined()
    timeline.moveTo(600_000)
    client.nudge()
    timeline.step()
    expect([timeline.nowMs, states.at(-1)]).toEqual([620_000, 'offline'])
  })

  it('[T-03] a frame of cover that is not answered shows it too', async () => {
    await opened()
    client.cover('light')
    while (states.at(-1) !== 'offline') timeline.step()
    expect(timeline.nowMs).toBeLessThan(200_000)
  })

  it('[T-01] comes back later each time to a relay that opens and says nothing more', async () => {
    const waits: number[] = []
    for (let i = 0; i < 6; i++) {
      const { wire } = await opened()
      const count = wires.length
      const offline = next()
      wire.onclose?.({ code: 1006 })
      expect(await offline).toBe('offline')
      const since = timeline.nowMs
      while (wires.length === count) timeline.step()
      waits.push(timeline.nowMs - since)
    }
    expect(waits.at(-1)).toBeGreaterThan(5_000)
  })
})
