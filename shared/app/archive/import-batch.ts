import { toBase64url } from '#core/bytes/base64url.ts'
import { concatBytes } from '#core/bytes/concat.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { labels } from '#core/crypto/labels.ts'
import { InputError } from '#core/errors.ts'
import { notesAddress } from '#core/log/notes.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { type Hands, inTurns } from '../log/in-turns.ts'
import { NOTES } from '../log/notes.ts'
import type { AccountRecord } from '../ports/records.ts'
import { type ArchiveHead, type ArchiveLine, decodeHead, decodeLine } from './archive-line.ts'
import { isOwnArchive } from './archive-proof.ts'
import { importChannel, importLines } from './import-history.ts'
import { importContact, importSettings } from './import-people.ts'

/** Some lines of an archive, in its order; `from`: how many stand before them. */
export type ImportBatch = { readonly head: string; readonly lines: readonly string[]; readonly from: number }

/** What is being read in: whose it is, and whether a device of this account has made it. */
export type Importing = {
  readonly deps: Deps
  readonly draft: Draft
  readonly own: AccountRecord
  readonly head: ArchiveHead
  readonly isOwn: boolean
}

const ARCHIVED_ID_BYTES = 12

/**
 * Writes a batch, and how far the archive is read, in one transaction: what was interrupted goes on, and the same again
 * changes nothing (ARC5). @returns the channels that have more to show
 */
export async function importBatch(deps: Deps, hands: Hands, batch: ImportBatch): Promise<readonly string[]> {
  const head = decodeHead(batch.head)
  const lines = batch.lines.map(decodeLine)
  const own = await readAccount(deps.store)
  if (own === undefined) throw new InputError('identity/none')
  const isOwn = equalBytes(head.account, own.account) && (await isOwnArchive(deps.store, head))
  const importing: Importing = { deps, draft: new Draft(deps.store), own, head, isOwn }
  const keys = lines.flatMap((line) => (line?.type === 'line' ? [line.in] : line?.type === 'channel' ? [line.key] : []))
  const places = await placesOf(importing, new Set(keys))
  await inTurns(hands, places.values(), async () => {
    await applyAll(importing, places, lines)
    if (lines.some((line) => line?.type === 'end')) importing.draft.delete('meta', 'import')
    else importing.draft.put('meta', 'import', { kind: 'import', id: head.id, next: batch.from + batch.lines.length })
    await importing.draft.commit()
  })
  return [...places.values()]
}

async function applyAll(
  importing: Importing,
  places: ReadonlyMap<string, string>,
  lines: readonly (ArchiveLine | undefined)[],
): Promise<void> {
  const people = new Set<string>()
  for (const line of lines) {
    if (line?.type === 'profile' || line?.type === 'contact') {
      const name = toBase64url(line.account)
      if (!people.has(name)) await importContact(importing, line)
      people.add(name)
    }
    if (line?.type === 'settings') await importSettings(importing, line)
    if (line?.type === 'channel') await importChannel(importing, places.get(line.key) ?? '', line)
  }
  for (const [key, channelId] of places) {
    const said = lines.flatMap((line) => (line?.type === 'line' && line.in === key ? [line] : []))
    if (said.length > 0) await importLines(importing, channelId, said)
  }
}

/**
 * ARC4: an archive of this account joins the conversations that are here, by their address at the relay. Anything else gets
 * conversations of its own, the same ones each time, in which nothing can be said.
 */
async function placesOf(
  { deps, own, head, isOwn }: Importing,
  keys: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const here = new Map<string, string>()
  if (isOwn) {
    for (const { key, record } of await deps.store.list('channels')) {
      const address = record.address ?? (await deps.store.get('syncs', key))?.address
      here.set(address === undefined ? String(key) : toBase64url(address), String(key))
    }
    here.set(toBase64url(notesAddress(own.account)), NOTES)
  }
  return new Map([...keys].map((key) => [key, here.get(key) ?? archivedId(head, key)]))
}

function archivedId({ account }: ArchiveHead, key: string): string {
  return toBase64url(sha256(concatBytes(labels.archiveChannel, account, toUtf8(key))).subarray(0, ARCHIVED_ID_BYTES))
}
