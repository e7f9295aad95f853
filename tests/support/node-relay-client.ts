import WebSocket from 'ws'
import { systemDice } from '#core/crypto/random.ts'
import type { Socket } from '#net/noise-socket.ts'
import { RelayClient } from '#net/relay-client.ts'
import { systemClock } from '#web/clock.ts'

/** The real client on a socket of Node's; no compression, which costs and hides nothing in ciphertext. */
export function makeNodeRelayClient(): RelayClient {
  return new RelayClient({
    clock: systemClock,
    dice: systemDice,
    openSocket: (url) => new WebSocket(url, { perMessageDeflate: false }) as unknown as Socket,
    fetchJson: async (url) => (await fetch(url)).json(),
  })
}

/** Connects, and resolves once the Noise channel is open. */
export async function connectNodeRelay(
  origin: string,
  onPush: (push: unknown) => void = () => {},
): Promise<RelayClient> {
  const client = makeNodeRelayClient()
  const noiseKey = await client.askRealmKey(origin)
  await new Promise<void>((resolve, reject) => {
    client.start(
      { origin, noiseKey },
      {
        onState: ({ state }) => {
          if (state === 'online') resolve()
          if (state === 'refused') reject(new Error('refused'))
        },
        onPush,
      },
    )
  })
  return client
}
