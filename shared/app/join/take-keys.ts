import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, WireError } from '#core/errors.ts'
import { addressOfName } from '#core/identity/channel-name.ts'
import { accountHpkePair, decodeKeyRing } from '#core/keys/key-ring.ts'
import type { KeeperBody } from '#core/message/body.ts'
import { type NameKeys, openNameKeys } from '#core/message/name-keys.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { roleIn } from '../channel/follow-group.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord } from '../ports/records.ts'

/**
 * What a keeper says: only from one who may let people in, about the name that leads here. Keys that the relay has borne out stay.
 * @returns the channel as it is then
 */
export async function takeKeys(
  deps: Pick<Deps, 'store'>,
  { channel, sync, group }: Loaded,
  own: AccountRecord,
  from: AccountId,
  { name, boxes }: KeeperBody,
): Promise<Loaded['channel']> {
  const isRight = channel.kind === 'group' && equalBytes(addressOfName(name), sync.address)
  if (!isRight || roleIn(group, from) === 'member') return channel
  const before = channel.named ?? ({ name, state: 'registered' } as const)
  const { giveAtMs: _, ...named } = { ...before, given: [...boxes.map(({ account }) => account), from] }
  const told = { ...channel, named }
  if (named.proven && named.keys !== undefined) return told
  const mine = boxes.find(({ account }) => equalBytes(account, own.account))
  const keys = mine && (await openWithRing(deps, sync.address, own.account, mine.box))
  return keys === undefined ? told : { ...told, named: { ...named, state: 'registered', keys } }
}

async function openWithRing(
  { store }: Pick<Deps, 'store'>,
  address: Loaded['sync']['address'],
  account: AccountId,
  box: Uint8Array,
): Promise<NameKeys | undefined> {
  const record = await store.get('meta', 'keyRing')
  if (record?.kind !== 'keyRing') return undefined
  for (const generation of decodeKeyRing(record.bytes).generations.toReversed()) {
    try {
      return await openNameKeys(await accountHpkePair(generation), { address, account }, box)
    } catch (error) {
      if (!(error instanceof CryptoError || error instanceof WireError)) throw error
    }
  }
  return undefined
}
