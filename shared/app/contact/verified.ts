import type { AlarmRecord, ContactRecord } from '../ports/records.ts'
import { isAbout } from '../transparency/alarms.ts'

export function isVerified({ verified }: Pick<ContactRecord, 'verified'>): boolean {
  return verified?.is === true
}

/** What was found about a person and not looked at yet, the newest first. */
export function openAlarms(alarms: readonly AlarmRecord[], { account }: Pick<ContactRecord, 'account'>): AlarmRecord[] {
  return alarms.filter((alarm) => !alarm.looked && isAbout(alarm, account)).toReversed()
}

/** K-11: nothing goes to a person who was verified, nor to one who has that person's name, until it was looked at. */
export function isStopped(contact: ContactRecord, alarms: readonly AlarmRecord[]): boolean {
  return openAlarms(alarms, contact).some(({ kind }) => kind === 'same-name' || isVerified(contact))
}

/** Names that a reader takes for the same. */
export function plainName(name: string): string {
  return name.normalize('NFKC').replace(/\s+/gu, ' ').trim().toLowerCase()
}
