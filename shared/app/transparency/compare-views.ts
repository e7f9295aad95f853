import { equalBytes } from '#core/bytes/equal.ts'
import type { SignedHead } from '#core/identity/two-logs.ts'
import type { LogHead } from '#core/message/body.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { TransparencyRecord, ViewRecord } from '../ports/records.ts'
import type { Row, RowKey } from '../ports/store.ts'
import { type Wrong, wrong } from './alarms.ts'
import { compareContact } from './compare-contact.ts'
import { compareOwn } from './compare-own.ts'
import { isPartOf } from './follow-head.ts'
import { splitView } from './split-view.ts'

export type ComparedViews = {
  readonly found: readonly Wrong[]
  readonly done: readonly RowKey[]
  readonly isNews: boolean // of contacts
  readonly isOwnNews: boolean
}

/** What messages said of the directory, beside what it says here (TRC4). `head` is absent when it does not go on from the known one. */
export async function compareViews(
  deps: Deps,
  record: TransparencyRecord,
  head: SignedHead | undefined,
  told: readonly Row<'views'>[],
): Promise<ComparedViews> {
  const own = await readAccount(deps.store)
  const found: Wrong[] = []
  const done: RowKey[] = []
  let isNews = false
  let isOwnNews = false
  const checked = new Map<number, LogHead>() // most members were shown the same
  for (const { key, record: said } of told) {
    if (head !== undefined && said.view !== undefined && !(await isShownHere(deps, said.view, head, checked))) {
      found.push(await splitView(deps, record, { by: said.by, ours: head, theirs: said.view }))
    }
    if (own !== undefined && equalBytes(said.by, own.account)) {
      const compared = said.own && (await compareOwn(deps, record, said.own))
      if (compared?.isRight === false) found.push(wrong('withheld', own.account, said.own))
      isOwnNews ||= compared?.isNews === true
    } else {
      const contact = said.own && (await compareBy(deps, said.by, said.own))
      found.push(...(contact?.found ?? []))
      isNews ||= contact?.isNews === true
      const compared = said.theirs && (await compareOwn(deps, record, said.theirs))
      if (compared?.isRight === false) found.push(wrong('hidden-device', own?.account, said.theirs))
      isOwnNews ||= compared?.isNews === true
    }
    done.push(key)
  }
  return { found, done, isNews, isOwnNews }
}

async function compareBy(deps: Deps, by: AccountId, said: NonNullable<ViewRecord['own']>) {
  const contact = await findContact(deps.store, by)
  return contact && compareContact(deps, contact.key, contact.record, said)
}

async function isShownHere(deps: Deps, view: LogHead, head: LogHead, checked: Map<number, LogHead>): Promise<boolean> {
  const known = checked.get(view.size)
  if (known !== undefined) return equalBytes(known.root, view.root)
  const isPart = await isPartOf(deps, view, head)
  if (isPart) checked.set(view.size, view)
  return isPart
}
