import { CryptoError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { placeOf } from '#core/message/roster.ts'
import { DEFAULT_SUITE, type SuiteId } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { patiently, takePackages } from '../packages/take-packages.ts'
import type { OfferRecord, SyncRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'

/**
 * Key packages of somebody who is in a space's home, for one of its channels (SPC6). Who is no contact is known by their account id alone, which
 * is their root's key, and by the newest manifest that the home has seen: an older one is not taken.
 * @returns undefined for somebody who can't be added now
 */
export async function takeMember(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  account: AccountId,
  home: Pick<SyncRecord, 'accounts'>,
  suite: SuiteId = DEFAULT_SUITE,
): Promise<OfferRecord | undefined> {
  const turn: EngineHands['turn'] = (name, task) => hands.turn(name, task)
  const contact = (await findContact(deps.store, account))?.record ?? (await strangerOf(deps, account, home))
  return contact && takePackages(deps, turn, contact, suite)
}

async function strangerOf(deps: Deps, account: AccountId, home: Pick<SyncRecord, 'accounts'>) {
  const { manifest } = await patiently(deps, () => deps.relay.call('account.get', { account }))
  if (manifest === undefined) return undefined
  try {
    const { sequence } = await checkManifest(manifest, account)
    const seen = placeOf({ accounts: home.accounts }, account)?.sequence ?? 0
    return sequence < seen ? undefined : { account, manifest, sequence }
  } catch (error) {
    if (error instanceof CryptoError || error instanceof WireError) return undefined
    throw error
  }
}
