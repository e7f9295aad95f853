import type { Deps } from '../deps.ts'
import type { Work } from '../face.ts'
import type { RestoreRecord } from '../ports/records.ts'
import type { Change, Store } from '../ports/store.ts'
import { withPlace } from './vanishing-places.ts'

export async function readRestore(store: Pick<Store, 'get'>): Promise<RestoreRecord | undefined> {
  const record = await store.get('meta', 'restore')
  return record?.kind === 'restore' ? record : undefined
}

/** How far the history is (U-06). */
export async function restoreWork(store: Pick<Store, 'get'>, online: boolean): Promise<readonly Work[]> {
  const record = await readRestore(store)
  if (record === undefined) return []
  const { from, before, done, missing, stopped } = record
  // How many messages an entry holds is seen when it is read: what is still to come is taken to be like what came.
  const total = from === 0 ? done : Math.round((done * from) / Math.max(1, from - before + 1))
  const common = { kind: 'restore', done, total } as const
  if (missing && (stopped || before <= 1)) return [{ ...common, state: 'failed', problem: 'log/gap' }]
  if (stopped) return [{ ...common, state: 'stopped' }]
  return [{ ...common, state: online ? 'running' : 'waiting' }]
}

/** What came stays; the rest can be asked for later. One that can't go on any more is put away. Runs in the turn 'log'. */
export async function stopRestore({ store, clock }: Pick<Deps, 'store' | 'clock'>): Promise<void> {
  const record = await readRestore(store)
  if (record === undefined) return
  if (record.missing && (record.stopped || record.before <= 1)) {
    await store.write([{ delete: 'meta', key: 'restore' }])
    return
  }
  const changes: Change[] = [{ put: 'meta', key: 'restore', record: { ...record, stopped: true } }]
  const log = await store.get('meta', 'log')
  if (log?.kind === 'log') {
    // VAN5: what vanishes in the rows that are not read now is looked for as where something has vanished.
    const unread = { from: 1, to: record.before - 1, atMs: clock.now() }
    changes.push({ put: 'meta', key: 'log', record: { ...log, vanishing: withPlace(log.vanishing, unread) } })
  }
  await store.write(changes)
}

/** Runs in the turn 'log'. */
export async function resumeRestore({ store }: Pick<Deps, 'store'>): Promise<void> {
  const record = await readRestore(store)
  if (record === undefined) return
  const { stopped: _, ...running } = record
  await store.write([{ put: 'meta', key: 'restore', record: running }])
}
