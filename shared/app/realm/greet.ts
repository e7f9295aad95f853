import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { TokenHash } from '#core/wire/ids.ts'
import { PROTOCOL_VERSION } from '#core/wire/versions.ts'
import { readAccount, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { RealmRecord } from '../ports/records.ts'

/** The first words of a connection: versions, the mailbox, the manifest. Idempotent throughout, so a crash repeats it. */
export async function greet(deps: Deps): Promise<RealmRecord | undefined> {
  let realm = await readRealm(deps.store)
  const account = await readAccount(deps.store)
  if (realm === undefined || account === undefined) return undefined
  const { incarnation } = await deps.relay.call('session.hello', { version: PROTOCOL_VERSION })
  const mailbox = { address: realm.mailbox, token: realm.mailboxToken }
  if (!realm.mailboxOpened) {
    const tokenHash = hashToken(labels.mailboxToken, mailbox.token) as TokenHash
    await deps.relay.call('mailbox.open', { address: mailbox.address, tokenHash })
  }
  if (!realm.mailboxOpened || realm.incarnation === undefined || !equalBytes(realm.incarnation, incarnation)) {
    realm = { ...realm, mailboxOpened: true, incarnation }
    await deps.store.write([{ put: 'meta', key: 'realm', record: realm }])
  }
  await deps.relay.call('mailbox.attach', mailbox)
  if (realm.publishedSequence < account.sequence) {
    await deps.relay.call('account.put', { manifest: account.manifest })
    realm = { ...realm, publishedSequence: account.sequence }
    await deps.store.write([{ put: 'meta', key: 'realm', record: realm }])
  }
  return realm
}
