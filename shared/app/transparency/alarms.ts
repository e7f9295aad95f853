import { equalBytes } from '#core/bytes/equal.ts'
import { sha256 } from '#core/crypto/hash.ts'
import type { TwoLogs } from '#core/identity/two-logs.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { AlarmRecord, TransparencyRecord } from '../ports/records.ts'

const MAX_ALARMS = 64

/** Something that an honest directory would not have shown, nor an honest member said. */
export type Wrong = Pick<AlarmRecord, 'kind' | 'about' | 'evidence' | 'twoLogs'>

export function wrong(kind: Wrong['kind'], about: AccountId | undefined, shown: unknown): Wrong {
  return { kind, evidence: sha256(encodeCbor(shown)), ...(about === undefined ? {} : { about }) }
}

/** TRC8: one of each kind about each, until it is looked at; the same again is no news then, and anything else is. */
export function withAlarms(record: TransparencyRecord, found: readonly Wrong[], nowMs: number): TransparencyRecord {
  let { alarms } = record
  for (const one of found) {
    // The two logs may be shown by a later message only.
    const bare = one.twoLogs && alarms.find((alarm) => isSame(alarm, one) && alarm.twoLogs === undefined)
    if (bare && one.twoLogs)
      alarms = alarms.map((alarm) => (alarm === bare ? { ...alarm, twoLogs: one.twoLogs as TwoLogs } : alarm))
    const isKnown = alarms.some((alarm) => isSame(alarm, one) && (!alarm.looked || isSameEvidence(alarm, one)))
    if (!isKnown) alarms = [...alarms, { ...one, atMs: nowMs }]
  }
  return alarms === record.alarms ? record : { ...record, alarms: kept(alarms) }
}

/** What was not looked at stays longest. */
function kept(alarms: readonly AlarmRecord[]): readonly AlarmRecord[] {
  const tooMany = alarms.length - MAX_ALARMS
  if (tooMany <= 0) return alarms
  const dropped = new Set(alarms.filter(({ looked }) => looked).slice(0, tooMany))
  return alarms.filter((alarm) => !dropped.has(alarm)).slice(-MAX_ALARMS)
}

function isSame(alarm: AlarmRecord, { kind, about }: Wrong): boolean {
  return alarm.kind === kind && isAbout(alarm, about)
}

function isSameEvidence(alarm: AlarmRecord, { kind, evidence }: Wrong): boolean {
  // Two logs stay two, and each message shows another head of the other one.
  return kind === 'split-view' || equalBytes(alarm.evidence, evidence)
}

export function isAbout({ about }: Pick<AlarmRecord, 'about'>, account: AccountId | undefined): boolean {
  return about === undefined || account === undefined ? about === account : equalBytes(about, account)
}
