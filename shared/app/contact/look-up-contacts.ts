import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import { raise } from '../transparency/raise.ts'
import { askDirectory, withNewer } from './ask-directory.ts'
import { changeContactAt } from './find-contact.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Asks the realm for contacts' newest manifests, each about once a day and not all at the same time: which of their devices
 * are no longer theirs (K-07). What is not to be believed is told to the person, and takes the place of nothing (K-12).
 * @returns whether any is newer than what was known
 */
export async function lookUpContacts(deps: Deps): Promise<boolean> {
  let isNews = false
  for (const { key, record } of await deps.store.list('contacts')) {
    const nowMs = deps.clock.now()
    const { lookUpAtMs = nowMs + spread(deps, DAY_MS) } = record
    if (lookUpAtMs > nowMs) {
      if (record.lookUpAtMs === undefined) await changeContactAt(deps, String(key), (now) => ({ ...now, lookUpAtMs }))
      continue
    }
    const answer = await askDirectory(deps, record)
    if (answer.is === 'wrong') await raise(deps, [answer.wrong])
    isNews ||= answer.is === 'newer'
    const nextAtMs = nowMs + DAY_MS + spread(deps, DAY_MS / 4)
    await changeContactAt(deps, String(key), (now) => ({ ...withNewer(now, answer), lookUpAtMs: nextAtMs }))
  }
  return isNews
}
