import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { AccountPlace } from '#core/message/roster.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ChannelRecord } from '../ports/records.ts'

const MAX_PUT_OUT = 256

type Places = readonly Pick<AccountPlace, 'account'>[]

/** Somebody has taken them out, and nobody has brought them in since. */
export function wasPutOut({ putOut }: Pick<ChannelRecord, 'putOut'>, account: AccountId): boolean {
  return putOut?.some((one) => equalBytes(one, account)) === true
}

/** Who left by themselves may come back by a link; who was taken out is asked about (INV9). */
export function withPutOut(
  channel: ChannelRecord,
  before: Places,
  after: Places,
  leavers: ChannelRecord['leavers'],
): ChannelRecord {
  const known = channel.putOut ?? []
  const there = new Set(after.map(({ account }) => toHex(account)))
  const left = new Set(leavers?.map(toHex))
  const isOut = (account: AccountId): boolean => !there.has(toHex(account))
  const gone = before.map(({ account }) => account).filter((one) => isOut(one) && !left.has(toHex(one)))
  const putOut = [...known.filter(isOut), ...gone].slice(-MAX_PUT_OUT)
  if (putOut.length > 0) return { ...channel, putOut }
  const { putOut: _, ...rest } = channel
  return known.length === 0 ? channel : rest
}
