import { toHex } from '#core/bytes/hex.ts'
import { accountOf, settleManifest } from '../account/settle-manifest.ts'
import { askDirectory, withNewer } from '../contact/ask-directory.ts'
import { changeContactAt } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { type Wrong, wrong } from './alarms.ts'

export type ComparedChannels = {
  readonly found: readonly Wrong[]
  readonly isNews: boolean // of contacts
  readonly isOwnNews: boolean
}

/** The manifests that commits brought: nobody commits one that the directory has not (TRC4, TRC6). */
export async function compareChannels(deps: Deps): Promise<ComparedChannels> {
  const newest = await newestInChannels(deps)
  const found: Wrong[] = []
  let isNews = false
  const before = await accountOf(deps)
  const ofOwn = newest.get(toHex(before.account)) ?? 0
  if (ofOwn > before.sequence) {
    await settleManifest(deps)
    if ((await accountOf(deps)).sequence < ofOwn) found.push(wrong('hidden-device', before.account, ofOwn))
  }
  for (const { key, record } of await deps.store.list('contacts')) {
    const { account } = record
    const sequence = newest.get(toHex(account)) ?? 0
    if (sequence <= record.sequence) continue
    const answer = await askDirectory(deps, record)
    if (answer.is === 'newer') {
      isNews = true
      await changeContactAt(deps, String(key), (now) => withNewer(now, answer))
    }
    if (answer.is === 'wrong') found.push(answer.wrong)
    else if (withNewer(record, answer).sequence < sequence) found.push(wrong('withheld', account, sequence))
  }
  return { found, isNews, isOwnNews: (await accountOf(deps)).sequence !== before.sequence }
}

async function newestInChannels({ store }: Pick<Deps, 'store'>): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>()
  for (const { account, sequence } of (await store.list('syncs')).flatMap(({ record }) => record.accounts)) {
    const id = toHex(account)
    newest.set(id, Math.max(newest.get(id) ?? 0, sequence))
  }
  return newest
}
