import { accountOf } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import type { TransparencyRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'
import { compareOwn } from './compare-own.ts'

/** A realm that always has more is heard out at the next time. */
const MAX_PAGES = 16

export type LookedThrough = {
  readonly record: TransparencyRecord
  readonly found: readonly Wrong[]
  readonly isOwnNews: boolean
}

/** Every leaf of this account in the log is a manifest that its devices know of: a device that nobody made is one too many (TRC6). */
export async function lookThroughOwn(deps: Deps, before: TransparencyRecord): Promise<LookedThrough> {
  const { account } = await accountOf(deps)
  const found: Wrong[] = []
  let record = before
  let isOwnNews = false
  for (let page = 0; page < MAX_PAGES; page++) {
    const { leaves, more } = await deps.relay.call('transparency.account', { account, after: record.ownUpTo })
    for (const { index, sequence, hash } of leaves) {
      const compared = await compareOwn(deps, record, { sequence, hash })
      if (!compared.isRight) found.push(wrong('hidden-device', account, { sequence, hash }))
      isOwnNews ||= compared.isNews
      record = { ...record, ownUpTo: Math.max(record.ownUpTo, index + 1) }
    }
    if (!more || leaves.length === 0) break
  }
  return { record, found, isOwnNews }
}
