import { describe, expect, it } from 'vitest'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { RelayClient } from '#net/relay-client.ts'
import { Seeded } from '../../support/seeded.ts'
import { Timeline } from '../../support/sim/timeline.ts'

const key = (await dhKeyPairFrom(new Uint8Array(32).fill(5))).publicKey

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
