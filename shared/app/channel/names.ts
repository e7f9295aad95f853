import { toHex } from '#core/bytes/hex.ts'
import type { Roster } from '#core/message/roster.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord, ChannelRecord } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'

type Names = NonNullable<ChannelRecord['names']>

/** How members of the roster call themselves, as far as this device knows: people it knows first, then what it was told. */
export async function namesOf(
  { store }: Pick<Deps, 'store'>,
  { channel }: Pick<Loaded, 'channel'>,
  account: AccountRecord,
  { accounts }: Roster,
): Promise<Names> {
  if (channel.kind !== 'group') return []
  const contacts = (await store.list('contacts')).map(({ record }) => record)
  const told = [...(channel.names ?? []), ...contacts, account]
  const nameOf = new Map(told.map((one) => [toHex(one.account), one.name]))
  return accounts.flatMap(({ account: one }) => {
    const name = nameOf.get(toHex(one)) ?? ''
    return name === '' ? [] : [{ account: one, name }]
  })
}
