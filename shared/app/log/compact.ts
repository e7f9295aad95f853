import { equalBytes } from '#core/bytes/equal.ts'
import { nextLogHead } from '#core/channel/log-chain.ts'
import { RelayError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import type { Dated } from '#core/log/delta.ts'
import { ENTRY_VERSION } from '#core/log/entry.ts'
import { makePage } from '#core/log/page.ts'
import { sealEntry } from '#core/log/seal.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { tidyBlockIds } from './block-ids.ts'
import { carryOn, firstToVanish, isVanishing, MAX_CARRIED_BYTES } from './carry-on.ts'
import { currentBooks } from './current-books.ts'
import { bookHash } from './note-books.ts'
import { openRow } from './open-row.ts'
import type { OwnLog } from './own-log.ts'
import { carriedOf, coversOf, gainOf, type OpenedRow, stretchesOf } from './stretch.ts'

/** Entries past the last page, before somebody makes one of them; spread, so that not all devices do at once. */
const COMPACT_AFTER = 64
const SPREAD = 32
/** So many rows fewer make a page worth its while. */
const MIN_GAIN = COMPACT_AFTER / 4
const CARRIED_BOOKS = 384
const DAY_MS = 86_400_000

/**
 * Puts a page in the place of many entries (LGE5): what they came to, and with it the bookkeeping as it is now, so that whoever
 * reads the log from its end knows channels and settings at once (K-03). Another device that was first is as good.
 * @param carriedBytes what may be appended once more: nothing where the log is full
 */
export async function compactLog(deps: Deps, before: OwnLog, carriedBytes = MAX_CARRIED_BYTES): Promise<OwnLog> {
  const due = isDue(deps, before)
  if (due === undefined) return before
  const nowMs = deps.clock.now()
  const { rows, end } = await rowsPastPages(deps, before)
  const books = await carriedBooks(deps, before)
  const stretches = stretchesOf(rows, end, { books: books.length, carriedBytes, nowMs })
  const gains = stretches.map((stretch) => ({ stretch, gain: gainOf(stretch, nowMs) }))
  const [{ stretch, gain } = { stretch: [], gain: 0 }] = gains.toSorted((a, b) => b.gain - a.gain)
  if (stretch.length < 2 || (due === 'many' && gain < MIN_GAIN)) return lookedAt(deps, before, Math.max(0, gain))
  const lasting = stretch.map(({ told }) => told.filter((one) => !isVanishing(one)))
  const { page, taken } = await makePage([books, ...lasting])
  const kept = stretch.slice(0, taken - 1)
  const covers = coversOf(kept)
  if (covers === undefined || kept.length < 2 || (due === 'many' && gainOf(kept, nowMs) < 1))
    return lookedAt(deps, before, 0)
  const vanishing = carriedOf(kept, nowMs)
  const own = await carryOn(deps, before, vanishing)
  if (own === undefined) return before
  const { address, record, ring, device } = own
  const position = record.position + 1
  const entry = { v: ENTRY_VERSION, by: device.deviceId, page, covers }
  const bytes = await sealEntry(newest(ring), { address, position }, entry, deps.dice)
  try {
    await deps.relay.call('log.compact', {
      address,
      token: newest(ring).logToken,
      after: { position: record.position, head: record.head },
      entry: { id: deps.dice(POST_ID_BYTES) as PostId, bytes },
      from: covers.from,
      to: covers.to,
    })
  } catch (error) {
    if (error instanceof RelayError && error.code === 'log/behind') return own
    throw error
  }
  const head = nextLogHead(record.head, position, bytes)
  const others = rows.filter((one) => !kept.includes(one)).flatMap(({ told }) => told)
  const vanishFromMs = firstToVanish([...others, ...vanishing])
  const next = { ...record, position, head, singles: position - 1 - covers.to, vanishFromMs }
  await deps.store.write([{ put: 'meta', key: 'log', record: next }])
  await tidyBlockIds(deps.store)
  return { ...own, record: next }
}

/** Many entries; or there is something among them that has vanished for a day, and is not to lie at the relay for longer (VAN5). */
function isDue({ dice, clock }: Deps, { record }: OwnLog): 'many' | 'over' | undefined {
  const [spread = 0] = dice(1)
  const { singles, vanishFromMs = Number.POSITIVE_INFINITY } = record
  if (singles > COMPACT_AFTER + (spread % SPREAD)) return 'many'
  return singles > 1 && clock.now() >= vanishFromMs + DAY_MS * (1 + spread / 256) ? 'over' : undefined
}

/** Nothing came of it: not looked at again at once. */
async function lookedAt({ store, clock }: Deps, own: OwnLog, singles: number): Promise<OwnLog> {
  const { vanishFromMs } = own.record
  const later = vanishFromMs === undefined ? undefined : Math.max(vanishFromMs, clock.now())
  const record = { ...own.record, singles, vanishFromMs: later }
  await store.write([{ put: 'meta', key: 'log', record }])
  return { ...own, record }
}

/** From the end back to where pages stand for all that was before; oldest first. */
async function rowsPastPages(
  deps: Deps,
  own: OwnLog,
): Promise<{ readonly rows: readonly OpenedRow[]; readonly end: number }> {
  const { address, ring } = own
  const token = newest(ring).logToken
  const rows: OpenedRow[] = []
  let before = own.record.position + 1
  let end = 0
  while (before > end + 1) {
    const { entries } = await deps.relay.call('log.back', { address, token, before })
    if (entries.length === 0) break
    for (const row of entries) {
      before = row.position
      if (row.position <= end) break
      const opened = await openRow(own, row)
      const covers = opened !== undefined && 'page' in opened.entry ? opened.entry.covers : undefined
      rows.push({ row, told: opened?.told ?? [], covers })
      end = Math.max(end, covers?.to ?? 0)
    }
  }
  return { rows: rows.reverse(), end }
}

/** Of the bookkeeping, what the log has of it; contacts stay where they are, for their manifests are large. */
async function carriedBooks(deps: Deps, own: OwnLog): Promise<readonly Dated[]> {
  const logged = new Map((await deps.store.list('logged')).map(({ key, record }) => [JSON.stringify(key), record]))
  const books = await currentBooks(deps.store, own, deps.clock.now())
  return books
    .flatMap(({ key, delta }): Dated[] => {
      const known = logged.get(JSON.stringify(key))
      if (delta.kind === 'contact' || known?.position === undefined) return []
      if (!equalBytes(known.hash, bookHash(delta))) return []
      return [{ by: known.by, delta: { ...delta, at: known.stamp } }]
    })
    .slice(0, CARRIED_BOOKS)
}
