import { RelayError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { JoinRecord } from '../ports/join-records.ts'
import type { Row } from '../ports/store.ts'
import type { Apart } from './apart.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** What was answered is known for as long as it could be shown again. */
const REMEMBERED_MS = 17 * DAY_MS

/** Requests that were answered go from the relay (NAM4); what failed here stays there, for others who may let people in. */
export async function settleAsks(deps: Deps, apart: Apart): Promise<void> {
  for (const row of await deps.store.list('joins')) {
    const { by } = row.record
    if ('ask' in by && isOver(row.record)) await apart(() => settleRow(deps, row, by.ask))
  }
}

async function settleRow(deps: Deps, { key, record }: Row<'joins'>, id: Uint8Array): Promise<void> {
  if (record.unsettled) {
    if (record.state !== 'failed') await settle(deps, record.channelId, id)
    const { unsettled: _, ...settled } = record
    await deps.store.write([{ put: 'joins', key, record: settled }])
  } else if (deps.clock.now() - record.atMs > REMEMBERED_MS) await deps.store.write([{ delete: 'joins', key }])
}

function isOver({ state }: JoinRecord): boolean {
  return state === 'in' || state === 'declined' || state === 'failed'
}

async function settle(deps: Deps, channelId: string, id: Uint8Array): Promise<void> {
  const named = (await deps.store.get('channels', channelId))?.named
  if (named?.keys === undefined) return
  try {
    await deps.relay.call('name.settle', { name: named.name, token: named.keys.token, id })
  } catch (error) {
    if (!(error instanceof RelayError) || error.retryable) throw error
  }
}
