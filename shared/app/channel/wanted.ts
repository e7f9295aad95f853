import { equalBytes } from '#core/bytes/equal.ts'
import type { ProfileChange } from '#core/mls/index.ts'
import type { Draft } from '../draft.ts'
import type { SyncRecord, Wanted } from '../ports/records.ts'

export function sameWanted(a: Wanted, b: Wanted): boolean {
  switch (a.want) {
    case 'heal':
      return b.want === 'heal'
    case 'add':
      return b.want === 'add' && a.claim === b.claim
    case 'person':
      return b.want === 'person' && a.offer === b.offer
    case 'exclude':
      return b.want === 'exclude' && equalBytes(a.account, b.account)
    case 'role':
      return b.want === 'role' && equalBytes(a.account, b.account) && a.role === b.role
    case 'profile':
      return b.want === 'profile' && isEqual(a.change, b.change)
    case 'list':
      return b.want === 'list' && equalBytes(a.channel, b.channel) && a.listed === b.listed
    case 'leave-space':
      return b.want === 'leave-space'
    case 'remove':
      return b.want === 'remove' && equalBytes(a.account, b.account) && equalBytes(a.deviceId, b.deviceId)
  }
}

function isEqual({ avatar, ...a }: ProfileChange, { avatar: picture, ...b }: ProfileChange): boolean {
  const isSame = a.title === b.title && a.topic === b.topic && a.timerMs === b.timerMs
  if (avatar === undefined || picture === undefined) return isSame && avatar === picture
  return isSame && equalBytes(avatar, picture)
}

/** When it may be in a commit. */
export function dueAtMs(wanted: Wanted): number {
  return 'notBeforeMs' in wanted ? wanted.notBeforeMs : 0
}

/** Key packages that were taken for somebody who is in now, or does not come. */
export function dropOffers(draft: Draft, settled: readonly Wanted[]): void {
  for (const wanted of settled) if (wanted.want === 'person') draft.delete('offers', wanted.offer)
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
