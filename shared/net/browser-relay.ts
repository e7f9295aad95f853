import type { Clock } from '#app/ports/clock.ts'
import { systemDice } from '#core/crypto/random.ts'
import type { Socket } from './noise-socket.ts'
import { RelayClient } from './relay-client.ts'

/** The relay client on the browser's own WebSocket and fetch. */
export function makeBrowserRelay(clock: Clock, mayCover: () => boolean = () => true): RelayClient {
  return new RelayClient({
    clock,
    mayCover,
    dice: systemDice,
    openSocket: (url) => new WebSocket(url) as unknown as Socket,
    fetchJson: async (url) =>
      (await fetch(url, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' })).json(),
  })
}
