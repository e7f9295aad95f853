import { toBase64url } from '#core/bytes/base64url.ts'
import type { SyncRecord } from '../ports/records.ts'

/** Who could not be added yet, as faces name people; those who came in meanwhile are not waited for. */
export function waitedFor({ later = [], accounts }: Pick<SyncRecord, 'later' | 'accounts'>): readonly string[] {
  const isIn = new Set(accounts.map(({ account }) => toBase64url(account)))
  return later.map(({ account }) => toBase64url(account)).filter((id) => !isIn.has(id))
}
