import type { Push } from '#app/ports/relay.ts'
import { relayContract } from '../contract/relay.contract.ts'
import { makeMemoryRelay } from '../support/memory-relay.ts'

relayContract('in memory', async () => {
  const relay = makeMemoryRelay({ clock: Date, seed: 4_242 })
  return {
    connect: async () => {
      const pushes: Push[] = []
      return { relay: relay.connect((push) => pushes.push(push)), pushes }
    },
    close: async () => relay.close(),
  }
})
