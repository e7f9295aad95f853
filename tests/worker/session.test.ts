import { env, listDurableObjectIds, runInDurableObject, SELF } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { systemDice } from '#core/crypto/random.ts'
import { initiate } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import { encodeFrame } from '#core/wire/frame.ts'
import type { AccountId, Address, DeviceId, Head, SeatId, Token } from '#core/wire/ids.ts'
import { decodeReceived, encodeRequest } from '#core/wire/message.ts'
import { Session } from '../../worker/objects/session.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../worker/rules/quota.ts'
import { RawSocket, realmKey, relayEnv, WireClient } from './wire-client.ts'

const sessions = (env as unknown as { SESSION: DurableObjectNamespace<Session> }).SESSION
const HELLO = { version: 1 }
let settingsAtMs = 0

/** The object behind the newest connection. */
async function newestSession(before: readonly DurableObjectId[]): Promise<DurableObjectStub<Session>> {
  const known = new Set(before.map(String))
  const fresh = (await listDurableObjectIds(sessions)).find((id) => !known.has(String(id)))
  if (fresh === undefined) throw new Error('no new session')
  return sessions.get(fresh)
}

describe('session', () => {
  it('[T-01] answers inside Noise only, and says hello', async () => {
    const client = await WireClient.connect()
    const { incarnation, version } = await client.call('session.hello', HELLO)
    expect(version).toBe(1)
    expect(incarnation).toEqual(new Uint8Array(16).fill(4))
    await expect(client.call('session.hello', { version: 2 })).rejects.toMatchObject({ code: 'session/version' })
  })

  it('[T-01] does nothing with a request before the handshake is done', async () => {
    const raw = await RawSocket.open()
    raw.socket.send(encodeRequest(1, 'session.hello', HELLO))
    expect(await raw.next()).toBeUndefined()
    expect(raw.closedWith).toBe(4400)
  })

  it('[T-01] a first message replayed gets an answer that its sender can do nothing with', async () => {
    const { message } = await initiate(PROLOGUE, await realmKey())
    const answers: (Uint8Array | undefined)[] = []
    for (let i = 0; i < 2; i++) {
      const raw = await RawSocket.open()
      raw.socket.send(message)
      answers.push(await raw.next())
      raw.socket.send(new Uint8Array(256)) // whatever was recorded after it
      expect(await raw.next()).toBeUndefined()
      expect(raw.closedWith).toBe(4400)
    }
    expect(answers[0]).not.toEqual(answers[1])
  })

  it('[T-01] closes a connection that spoke to another key, without a word', async () => {
    const raw = await RawSocket.open()
    const { message } = await initiate(
      PROLOGUE,
      (await realmKey()).map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
    )
    raw.socket.send(message)
    expect(await raw.next()).toBeUndefined()
    expect(raw.closedWith).toBe(4400)
  })

  it('[FRM5] closes what does not finish its handshake in time', async () => {
    const before = await listDurableObjectIds(sessions)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const late = await RawSocket.open()
    const stub = await newestSession(before)
    const open = await WireClient.connect()
    const deadlines = timers.mock.calls.filter(([, ms]) => ms === 10_000).map(([run]) => run)
    timers.mockRestore()
    expect(deadlines).toHaveLength(2)
    await runInDurableObject(stub, () => deadlines[0]?.())
    expect(await late.next()).toBeUndefined()
    expect(late.closedWith).toBe(4408)
    const [first, second] = await listDurableObjectIds(sessions).then((ids) =>
      ids.filter((id) => !before.some((old) => String(old) === String(id))),
    )
    const other = String(first) === String(stub.id) ? second : first
    if (other === undefined) throw new Error('no second session')
    await runInDurableObject(sessions.get(other), () => deadlines[1]?.())
    await open.call('session.hello', HELLO)
  })

  it('[T-02] every frame is a bucket, whatever it carries', async () => {
    const client = await WireClient.connect()
    await client.call('session.hello', HELLO)
    await client.call('account.get', { account: new Uint8Array(32) as never })
    for (const size of client.frameSizes) expect(Math.log2(size) % 1).toBe(0)
  })

  // One frame at a time: the pool's wrapper of objects does not keep the order of events, as the runtime does.
  it('[T-03] answers cover with a frame of the size that was asked for, or not at all', async () => {
    const before = await listDurableObjectIds(sessions)
    const client = await WireClient.connect()
    client.cover(1024)
    expect(await client.receive()).toBe('cover')
    client.cover(256, 2048)
    expect(await client.receive()).toBe('cover')
    expect(client.frameSizes).toEqual([1024, 256])
    await wakeWith(await newestSession(before), client.coverFrame(0))
    await wakeWith(await newestSession(before), sealed(client, encodeRequest(7, 'session.hello', HELLO)))
    expect(decodeReceived(await client.message())).toMatchObject({ id: 7 })
  })

  it('[FRM4] closes on a frame that is repeated, changed, of no bucket, or of text', async () => {
    const spoil: ((client: WireClient) => void)[] = [
      (client) => {
        const frame = client.transport.seal(encodeFrame({ kind: 'cover', content: Uint8Array.of(0) }))
        client.raw.socket.send(frame)
        client.raw.socket.send(frame)
      },
      (client) => client.raw.socket.send(new Uint8Array(256)),
      (client) => client.raw.socket.send(client.transport.seal(new Uint8Array(300))),
      (client) => client.raw.socket.send('hello'),
      (client) => client.raw.socket.send(new Uint8Array(70_000)),
      (client) => client.send(Uint8Array.of(0xff)),
    ]
    for (const act of spoil) {
      const client = await WireClient.connect()
      act(client)
      expect(await client.receive()).toBeUndefined()
      expect(client.raw.closedWith).toBe(4400)
    }
  })

  it('[NOI5] never rewinds a counter: what it was before it slept, it is after', async () => {
    const before = await listDurableObjectIds(sessions)
    const client = await WireClient.connect()
    await client.call('session.hello', HELLO)
    const stub = await newestSession(before)
    for (let id = 10; id < 13; id++) {
      await wakeWith(stub, sealed(client, encodeRequest(id, 'session.hello', HELLO)))
      expect(decodeReceived(await client.message())).toMatchObject({ kind: 'reply', id })
    }
  })

  it('[FRM6] asks to start again when it slept between two pieces of a message', async () => {
    const before = await listDurableObjectIds(sessions)
    const client = await WireClient.connect()
    const stub = await newestSession(before)
    const piece = encodeFrame({ kind: 'more', content: new Uint8Array(100) })
    await wakeWith(stub, client.transport.seal(piece))
    await wakeWith(stub, sealed(client, encodeRequest(1, 'session.hello', HELLO)))
    expect(await client.receive()).toBeUndefined()
    expect(client.raw.closedWith).toBe(4503)
  })

  it('[R-02] a client that asks too fast is refused with a time to wait, and is not cut off', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await changeSettings({ requestBurst: 3, requestsPerSecond: 100 })
      const client = await WireClient.connect()
      const outcomes: string[] = []
      const call = () =>
        client.call('session.hello', HELLO).then(
          () => 'done',
          (error) => error.code,
        )
      for (let i = 0; i < 6; i++) outcomes.push(await call())
      expect(outcomes.at(-1)).toBe('quota/rate')
      await expect(client.call('session.hello', HELLO)).rejects.toMatchObject({
        retryable: true,
        detail: { waitMs: 10 },
      })
      vi.setSystemTime(Date.now() + 10)
      expect(await call()).toBe('done')
    } finally {
      await changeSettings(DEFAULT_SETTINGS)
      vi.useRealTimers()
    }
  })

  it('[CHN1] [R-02] to ask where nothing is costs what making something costs; a few such questions hinder nobody', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await changeSettings({ requestBurst: 200, requestsPerSecond: 100 })
      const token = systemDice(32) as Token
      const asks: ((client: WireClient) => Promise<unknown>)[] = [
        (client) => client.call('account.get', { account: systemDice(32) as AccountId }),
        (client) => client.call('vault.get', { address: systemDice(32) as Address }),
        (client) => client.call('link.get', { address: systemDice(32) as Address, slot: 0 }),
        (client) =>
          client.call('packages.count', { account: systemDice(32) as AccountId, device: systemDice(16) as DeviceId }),
        (client) => client.call('mailbox.fetch', { address: systemDice(32) as Address, token, after: 0 }),
        (client) => client.call('log.back', { address: systemDice(32) as Address, token, before: 0 }),
        (client) =>
          client.call('channel.fetch', {
            ...{ address: systemDice(32) as Address, seat: systemDice(16) as SeatId, token, after: 0 },
          }),
      ]
      for (const ask of asks) {
        const client = await WireClient.connect()
        const answered = async (): Promise<boolean> => {
          const code = await ask(client).then(
            () => 'done',
            (error) => error.code,
          )
          return code !== 'quota/rate'
        }
        let many = 0
        while (many < 20 && (await answered())) many++
        expect(many).toBeGreaterThan(5)
        expect(many).toBeLessThan(15)
      }
    } finally {
      await changeSettings(DEFAULT_SETTINGS)
      vi.useRealTimers()
    }
  })

  it('[R-06] more unanswered requests than both sides agreed on end the connection', async () => {
    const before = await listDurableObjectIds(sessions)
    const client = await WireClient.connect()
    const frames = Array.from({ length: 17 }, (_, id) => sealed(client, encodeRequest(id, 'session.hello', HELLO)))
    await runInDurableObject(await newestSession(before), async (session, state) => {
      const [socket] = state.getWebSockets()
      if (socket === undefined) throw new Error('no socket')
      await Promise.all(frames.map((frame) => session.webSocketMessage(socket, frame.slice().buffer as ArrayBuffer)))
    })
    let last: unknown
    do last = await client.receive()
    while (last !== undefined)
    expect(client.raw.closedWith).toBe(4400)
  })
})

describe('routes', () => {
  it('[R-04] health says nothing but that it runs', async () => {
    const response = await SELF.fetch('https://relay/healthz')
    expect(await response.json()).toEqual({ ok: true })
  })

  it('the realm tells its key; only a WebSocket gets further', async () => {
    const { noiseKey, version } = await (await SELF.fetch('https://relay/realm.json')).json<{
      noiseKey: string
      version: number
    }>()
    expect(version).toBe(1)
    expect(noiseKey).toHaveLength(43)
    expect((await SELF.fetch('https://relay/v1')).status).toBe(426)
  })
})

/** From here on: those of a minute ago are asked for again, by whatever needs them. */
async function changeSettings(settings: Partial<Settings>): Promise<void> {
  await relayEnv.REALM.get(relayEnv.REALM.idFromName('realm')).change(settings)
  settingsAtMs = Math.max(settingsAtMs, Date.now()) + 600_000
  vi.setSystemTime(settingsAtMs)
  const known = { position: 0, head: new Uint8Array(32) as Head }
  const key = { address: new Uint8Array(32) as Address, seat: new Uint8Array(16) as SeatId }
  const post = { ...key, token: new Uint8Array(32) as Token, known, posts: [] }
  await (await WireClient.connect()).call('channel.post', post).catch(() => undefined)
}

function sealed(client: WireClient, message: Uint8Array): Uint8Array {
  return client.transport.seal(encodeFrame({ kind: 'last', content: message }))
}

/** As after hibernation: a new instance, which has the socket and its attachment and nothing else, gets the frame. */
function wakeWith(stub: DurableObjectStub<Session>, frame: Uint8Array): Promise<void> {
  return runInDurableObject(stub, async (_, state) => {
    const [socket] = state.getWebSockets()
    if (socket === undefined) throw new Error('no socket')
    await new Session(state, relayEnv).webSocketMessage(socket, frame.slice().buffer as ArrayBuffer)
  })
}
