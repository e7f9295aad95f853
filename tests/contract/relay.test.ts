import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Push } from '#app/ports/relay.ts'
import { startRelay } from '../../scripts/relay.mjs'
import { connectNodeRelay } from '../support/node-relay-client.ts'
import { relayContract } from './relay.contract.ts'

relayContract('on workerd, through Noise', async () => {
  const data = mkdtempSync(join(tmpdir(), 'stave-contract-'))
  const server = await startRelay({ data, port: 0 })
  const clients: { stop(): void }[] = []
  return {
    connect: async () => {
      const pushes: Push[] = []
      const relay = await connectNodeRelay(server.url, (push) => pushes.push(push as Push))
      clients.push(relay)
      return { relay, pushes }
    },
    close: async () => {
      for (const client of clients) client.stop()
      await server.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
})
