import { equalBytes } from '#core/bytes/equal.ts'
import type { LogHead } from '#core/message/body.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { askDirectory } from '../contact/ask-directory.ts'
import { changeContactAt } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord, TransparencyRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'
import { findLeaf } from './find-leaf.ts'

const AT_ONCE = 32
/** What the realm took is in its log within moments; a day later it is kept out of it. */
const LOGGED_WITHIN_MS = 24 * 60 * 60 * 1000

type Manifest = Pick<ContactRecord, 'account' | 'manifest' | 'sequence'>
export type FoundManifests = {
  readonly record: TransparencyRecord
  readonly found: readonly Wrong[]
  readonly more: boolean // are left for the next time
}

/** Looks for the manifests that are used here in the realm's log: the own one and those of contacts (TRC5). */
export async function findManifests(deps: Deps, before: TransparencyRecord, head: LogHead): Promise<FoundManifests> {
  const own = await accountOf(deps)
  const due = (await deps.store.list('contacts')).filter(({ record }) => record.logged !== record.sequence)
  const found: Wrong[] = []
  let record = before
  const look = async (manifest: Manifest): Promise<boolean> => {
    const looked = await lookFor(deps, record, head, manifest)
    record = looked.record
    if (looked.wrong !== undefined) found.push(looked.wrong)
    return looked.isThere
  }
  if (record.ownLogged !== own.sequence && (await look(own))) record = { ...record, ownLogged: own.sequence }
  for (const { key, record: contact } of due.slice(0, AT_ONCE)) {
    if (!(await look(contact))) continue
    await changeContactAt(deps, String(key), (now) => ({ ...now, logged: contact.sequence }))
  }
  return { record, found, more: due.length > AT_ONCE }
}

type LookedFor = { readonly record: TransparencyRecord; readonly isThere: boolean; readonly wrong?: Wrong }

async function lookFor(deps: Deps, before: TransparencyRecord, head: LogHead, manifest: Manifest): Promise<LookedFor> {
  const { account, sequence } = manifest
  const leaf = await findLeaf(deps, head, manifest)
  const others = before.waiting.filter((one) => !equalBytes(one.account, account))
  if (leaf !== 'not-yet') {
    const record = others.length === before.waiting.length ? before : { ...before, waiting: others }
    if (leaf === 'there') return { record, isThere: true }
    return { record, isThere: false, wrong: wrong('unlogged', account, manifest.manifest) }
  }
  const nowMs = deps.clock.now()
  const waits = before.waiting.find((one) => equalBytes(one.account, account) && one.sequence === sequence)
  if (waits === undefined) {
    const record = { ...before, waiting: [...others, { account, sequence, sinceMs: nowMs }] }
    return { record, isThere: false }
  }
  if (nowMs - waits.sinceMs < LOGGED_WITHIN_MS || !(await isOfThisRealm(deps, manifest))) {
    return { record: before, isThere: false }
  }
  return { record: before, isThere: false, wrong: wrong('unlogged', account, manifest.manifest) }
}

/** A contact that came with an archive may be at home elsewhere. */
async function isOfThisRealm(deps: Deps, manifest: Manifest): Promise<boolean> {
  return (await askDirectory(deps, manifest)).is !== 'unknown'
}
