import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { TokenHash } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { PROTOCOL_VERSION } from '#core/wire/versions.ts'
import { listThisDevice } from '../account/list-device.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import { accountOf, listedOf, settleManifest } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import { forgetAccount } from '../device/forget-account.ts'
import type { RealmRecord } from '../ports/records.ts'

/** @throws RelayError 'session/version' from a relay that speaks a later version */
export function sayHello({ relay }: Pick<Deps, 'relay'>): Promise<ReplyOf<'session.hello'>> {
  return relay.call('session.hello', { version: PROTOCOL_VERSION })
}

/**
 * The first words of a connection: versions, the mailbox, the manifest. Idempotent throughout, so a crash repeats it.
 * @returns undefined when there is nothing to go on with: no account here, or one that revoked this device (K-07)
 */
export async function greet(deps: Deps): Promise<RealmRecord | undefined> {
  let realm = await readRealm(deps.store)
  const account = await readAccount(deps.store)
  if (realm === undefined || account === undefined || account.revoked) return undefined
  const { incarnation, listKey } = await sayHello(deps)
  if (!(await isStillListed(deps))) return undefined
  const mailbox = { address: realm.mailbox, token: realm.mailboxToken }
  if (!realm.mailboxOpened) {
    const tokenHash = hashToken(labels.mailboxToken, mailbox.token) as TokenHash
    const closer = realm.mailboxCloser && (hashToken(labels.mailboxToken, realm.mailboxCloser) as TokenHash)
    await deps.relay.call('mailbox.open', { address: mailbox.address, tokenHash, ...(closer && { closer }) })
  }
  if (!realm.mailboxOpened || realm.incarnation === undefined || !equalBytes(realm.incarnation, incarnation)) {
    realm = { ...realm, mailboxOpened: true, incarnation }
    await deps.store.write([{ put: 'meta', key: 'realm', record: realm }])
  }
  if (!isSameKey(realm.listKey, listKey)) {
    const { listKey: _, ...others } = realm
    realm = { ...others, ...(listKey && { listKey }) }
    await deps.store.write([{ put: 'meta', key: 'realm', record: realm }])
  }
  await deps.relay.call('mailbox.attach', mailbox)
  return realm
}

function isSameKey(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b)
}

/** The account's newest manifest, and whether this device is in it; one that was revoked forgets all it has (I-06). */
export async function isStillListed(deps: Deps): Promise<boolean> {
  const manifest = await settleManifest(deps)
  const device = await readDevice(deps.store)
  if (device === undefined || listedOf(manifest, device) !== undefined) return true
  const account = await accountOf(deps)
  if (device.unlisted) {
    // One that came by a passphrase or a passkey has the history, and no root to list itself with (K-09).
    if (account.rootSeed !== undefined) await listThisDevice(deps)
    return true
  }
  await forgetAccount(deps, account)
  return false
}
