import { newest } from '#core/keys/key-ring.ts'
import { readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { OwnLog } from './own-log.ts'

const DAY_MS = 86_400_000
/** The relay forgets a watch after thirty days, and all of them when the generation rises (LOG7). */
const RENEW_AFTER_DAYS = 7

/** Asks the relay to wake this device when another one appends. */
export async function watchLog(deps: Deps, own: OwnLog): Promise<OwnLog> {
  const realm = await readRealm(deps.store)
  const { generation, logToken } = newest(own.ring)
  const day = Math.floor(deps.clock.now() / DAY_MS)
  const { watched, label } = own.record
  const isWatched = watched?.generation === generation && day < watched.day + RENEW_AFTER_DAYS
  if (realm === undefined || isWatched) return own
  const { drop } = await deps.relay.call('mailbox.drop', { address: realm.mailbox, token: realm.mailboxToken, label })
  await deps.relay.call('log.watch', { address: own.address, token: logToken, drop })
  const record = { ...own.record, watched: { day, generation } }
  await deps.store.write([{ put: 'meta', key: 'log', record }])
  return { ...own, record }
}
