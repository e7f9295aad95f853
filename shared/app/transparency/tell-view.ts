import { equalBytes } from '#core/bytes/equal.ts'
import { StoreError } from '#core/errors.ts'
import type { Body, LogHead } from '#core/message/body.ts'
import { readAccount } from '../account/read-account.ts'
import type { Loaded } from '../channel/loaded.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord, ToldView } from '../ports/records.ts'
import { claimOf } from './compare-manifest.ts'
import { readTransparency } from './record.ts'

const TOLD_EVERY = 20

export type Telling = { readonly say: Pick<Body, 'view' | 'own' | 'theirs'>; readonly told: ToldView }

export type Shown = { readonly account: AccountRecord; readonly head?: LogHead | undefined }

/** What the directory showed this device. */
export async function readShown({ store }: Pick<Deps, 'store'>): Promise<Shown> {
  const [account, { head }] = await Promise.all([readAccount(store), readTransparency(store)])
  if (account === undefined) throw new StoreError('store/keys-missing')
  return { account, head }
}

/**
 * What the next message says of the directory (TRC1): whenever that, the own manifest or the channel's accounts changed since
 * it was last said here, and in every twentieth message.
 */
export async function tellView(
  deps: Pick<Deps, 'store'>,
  { channel, sync }: Pick<Loaded, 'channel' | 'sync'>,
  { account, head }: Shown,
): Promise<Telling> {
  const now = { size: head?.size ?? 0, sequence: account.sequence, accounts: sync.accounts.length }
  const { told } = sync
  const isSame = told?.size === now.size && told.sequence === now.sequence && told.accounts === now.accounts
  if (isSame && told.left > 1) return { say: {}, told: { ...told, left: told.left - 1 } }
  const other = sync.accounts.find((place) => !equalBytes(place.account, account.account))
  const contact = channel.kind === 'direct' && other && (await findContact(deps.store, other.account))
  return {
    say: {
      own: claimOf(account),
      ...(head === undefined ? {} : { view: head }),
      ...(contact ? { theirs: claimOf(contact.record) } : {}),
    },
    told: { ...now, left: TOLD_EVERY },
  }
}
