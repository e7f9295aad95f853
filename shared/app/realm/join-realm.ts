import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import { ADDRESS_BYTES, type Address, TOKEN_BYTES, type Token } from '#core/wire/ids.ts'
import { readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { RealmRecord } from '../ports/records.ts'

/**
 * The realm that this device uses, pinned by its key. An invitation brings the key; without one, the realm itself is
 * asked once and the first use is marked as unverified (T-01).
 */
export async function joinRealm(deps: Deps, origin: string, keyFromInvitation?: Uint8Array): Promise<RealmRecord> {
  const known = await readRealm(deps.store)
  if (known === undefined) {
    const noiseKey = keyFromInvitation ?? (await deps.relay.askRealmKey(origin))
    const keyFrom = keyFromInvitation === undefined ? 'first-use' : 'invitation'
    return save(deps, newRealmRecord(deps, { origin, noiseKey, keyFrom }))
  }
  if (keyFromInvitation === undefined) return known
  if (!equalBytes(known.noiseKey, keyFromInvitation)) throw new InputError('invitation/foreign-realm')
  return known.keyFrom === 'invitation' ? known : save(deps, { ...known, keyFrom: 'invitation' })
}

/** With a mailbox of this device's own, still to be opened there. */
export function newRealmRecord(
  { dice }: Pick<Deps, 'dice'>,
  known: Pick<RealmRecord, 'origin' | 'noiseKey' | 'keyFrom'>,
): RealmRecord {
  return {
    kind: 'realm',
    ...known,
    mailbox: dice(ADDRESS_BYTES) as Address,
    mailboxToken: dice(TOKEN_BYTES) as Token,
    mailboxCloser: dice(TOKEN_BYTES) as Token,
    mailboxOpened: false,
    mailCursor: 0,
  }
}

async function save(deps: Deps, record: RealmRecord): Promise<RealmRecord> {
  await deps.store.write([{ put: 'meta', key: 'realm', record }])
  return record
}
