import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { JoinRecord } from '../ports/join-records.ts'
import { put } from './go-on.ts'

/** The person says yes or no. Each runs in the turn 'joins'. @throws InputError 'join/unknown' */
export async function approveJoin(deps: Deps, id: string): Promise<void> {
  const record = await waiting(deps, id)
  await put(deps, id, { ...record, approved: true, atMs: deps.clock.now() }, { state: 'due' }) // the time to find key packages begins now
}

/** Nobody is told. */
export async function declineJoin(deps: Deps, id: string): Promise<void> {
  await put(deps, id, await waiting(deps, id), { state: 'declined' })
}

/** What went wrong is said once. */
export async function dismissJoin(deps: Deps, id: string): Promise<void> {
  const record = await deps.store.get('joins', id)
  if (record?.state !== 'failed' || record.told) return
  await put(deps, id, record, { state: 'failed', why: record.why, told: true })
}

async function waiting({ store }: Deps, id: string): Promise<JoinRecord> {
  const record = await store.get('joins', id)
  if (record?.state !== 'asked') throw new InputError('join/unknown')
  return record
}
