import { equalBytes } from '#core/bytes/equal.ts'
import type { SyncRecord, Wanted } from '../ports/records.ts'

export function sameWanted(a: Wanted, b: Wanted): boolean {
  if (a.want === 'heal') return b.want === 'heal'
  if (a.want === 'add') return b.want === 'add' && a.claim === b.claim
  return b.want === 'remove' && equalBytes(a.account, b.account) && equalBytes(a.deviceId, b.deviceId)
}

export function withoutWanted(sync: SyncRecord, gone: readonly Wanted[]): SyncRecord {
  return { ...sync, wanted: sync.wanted.filter((wanted) => !gone.some((one) => sameWanted(one, wanted))) }
}

/** A void commit took away what the last good one had left for devices that come back: one more brings it anew (BCK5). */
export function wantState(sync: SyncRecord, notBeforeMs: number): SyncRecord {
  if (sync.wanted.some(({ want }) => want === 'heal')) return sync
  return { ...sync, wanted: [...sync.wanted, { want: 'heal', notBeforeMs, forState: true }] }
}

/** Whoever's commit came first has brought it. */
export function stateBrought(sync: SyncRecord): SyncRecord {
  const wanted = sync.wanted.filter((one) => !(one.want === 'heal' && one.forState))
  return wanted.length === sync.wanted.length ? sync : { ...sync, wanted }
}
