import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ChannelRecord } from '../ports/records.ts'

/** Somebody has taken them out, and nobody has brought them in since. */
export function wasPutOut({ putOut }: Pick<ChannelRecord, 'putOut'>, account: AccountId): boolean {
  return putOut?.some((one) => equalBytes(one, account)) === true
}
