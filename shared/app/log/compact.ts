import { equalBytes } from '#core/bytes/equal.ts'
import { nextLogHead } from '#core/channel/log-chain.ts'
import { RelayError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import type { Dated } from '#core/log/delta.ts'
import { type Covers, ENTRY_VERSION } from '#core/log/entry.ts'
import { makePage } from '#core/log/page.ts'
import { sealEntry } from '#core/log/seal.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { LogRecord, VanishingPlace } from '../ports/records.ts'
import { tidyBlockIds } from './block-ids.ts'
import { carryOn, isVanishing, MAX_CARRIED_BYTES } from './carry-on.ts'
import { currentBooks } from './current-books.ts'
import { bookHash } from './note-books.ts'
import type { OwnLog } from './own-log.ts'
import { readBack, readFrom } from './read-rows.ts'
import { readRestore } from './restore-work.ts'
import { carriedOf, coversOf, gainOf, type Room, type Stretch, stretchesOf } from './stretch.ts'
import { type VanishingPlaces, vanishesAt, withoutRows, withRow } from './vanishing-places.ts'

/** Entries past the last page, before somebody makes one of them; spread, so that not all devices do at once. */
const COMPACT_AFTER = 64
const SPREAD = 32
/** So many rows fewer make a page worth its while. */
const MIN_GAIN = COMPACT_AFTER / 4
const CARRIED_BOOKS = 384
const DAY_MS = 86_400_000

type Plan = { readonly kept: Stretch; readonly page: Uint8Array; readonly covers: Covers }

/**
 * Puts a page in the place of many entries (LGE5): what they came to, and with it the bookkeeping as it is now, so that whoever
 * reads the log from its end knows channels and settings at once (K-03). Another device that was first is as good.
 * @param carriedBytes what may be appended once more: nothing where the log is full
 */
export async function compactLog(deps: Deps, before: OwnLog, carriedBytes = MAX_CARRIED_BYTES): Promise<OwnLog> {
  const due = isDue(deps, before)
  if (due === undefined) return before
  const nowMs = deps.clock.now()
  const books = await carriedBooks(deps, before)
  const room = { books: books.length, carriedBytes, nowMs }
  const plan =
    due === 'many' ? await planMany(deps, before, books, room) : await planOver(deps, before, books, room, due)
  if ('position' in plan) return noted(deps, before, plan)
  const { kept, page, covers } = plan
  const own = await carryOn(deps, before, carriedOf(kept, nowMs))
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
  // What of it this device has not read yet comes back with the next pull, as a page of others does.
  const restore = await readRestore(deps.store)
  if (restore !== undefined && covers.from < restore.before) return own
  const next = {
    ...record,
    position,
    head: nextLogHead(record.head, position, bytes),
    singles: Math.min(record.singles, position - 1 - covers.to),
    vanishing: withoutRows(record.vanishing, covers),
  }
  await deps.store.write([{ put: 'meta', key: 'log', record: next }])
  await tidyBlockIds(deps.store)
  return { ...own, record: next }
}

/** Many entries; or something that has vanished for a day, and is not to lie at the relay for longer (VAN5): the first of it. */
function isDue({ dice, clock }: Deps, { record }: OwnLog): 'many' | VanishingPlace | undefined {
  const [spread = 0] = dice(1)
  const { singles, vanishing = [] } = record
  if (singles > COMPACT_AFTER + (spread % SPREAD)) return 'many'
  const nowMs = clock.now()
  const isLate = vanishing.some(({ atMs }) => nowMs >= atMs + DAY_MS * (1 + spread / 256))
  return isLate ? vanishing.find(({ atMs }) => atMs <= nowMs) : undefined
}

/** As few rows as can be. @returns the log's record where nothing comes of it, so that it is not looked at again at once */
async function planMany(deps: Deps, own: OwnLog, books: readonly Dated[], room: Room): Promise<Plan | LogRecord> {
  const { rows, end } = await readBack(deps, own)
  const stretches = stretchesOf(rows, end, room).map((stretch) => ({ stretch, gain: gainOf(stretch, room.nowMs) }))
  const [best] = stretches.toSorted((a, b) => b.gain - a.gain)
  const plan = best && best.gain >= MIN_GAIN ? await planOf(best.stretch, books) : undefined
  return plan && gainOf(plan.kept, room.nowMs) > 0 ? plan : { ...own.record, singles: 0 }
}

/** The first row with something that is over, among its neighbours where there are fewer rows then, else alone. @returns as planMany */
async function planOver(
  deps: Deps,
  own: OwnLog,
  books: readonly Dated[],
  room: Room,
  place: VanishingPlace,
): Promise<Plan | LogRecord> {
  const { nowMs } = room
  const { rows, end, more } = await readFrom(deps, own, place.from)
  const others = (own.record.vanishing ?? []).filter((one) => one !== place)
  const later: LogRecord = { ...own.record, vanishing: [{ ...place, atMs: nowMs }, ...others] }
  const first = rows.find(({ told, covers }) => covers === undefined && (vanishesAt(told) ?? nowMs + 1) <= nowMs)
  if (first === undefined) {
    const from = more ? (rows.at(-1)?.row.position ?? end) + 1 : place.to + 1
    const rest = from > place.to ? others : [{ ...place, from }, ...others]
    let vanishing: VanishingPlaces = rest
    for (const { row, told } of rows) if (row.position <= place.to) vanishing = withRow(vanishing, row.position, told)
    return { ...own.record, vanishing }
  }
  const around = stretchesOf(rows, end, room).find((stretch) => stretch.includes(first))
  if (around === undefined) return later // too much to carry on, for now
  const plan = gainOf(around, nowMs) > 0 ? await planOf(around, books) : undefined
  if (plan?.kept.includes(first)) return plan
  return (await planOf([first], [])) ?? later
}

async function planOf(stretch: Stretch, books: readonly Dated[]): Promise<Plan | undefined> {
  const lasting = stretch.map(({ told }) => told.filter((one) => !isVanishing(one)))
  const { page, taken } = await makePage([books, ...lasting])
  const kept = stretch.slice(0, Math.max(0, taken - 1))
  const covers = coversOf(kept)
  return covers && { kept, page, covers }
}

async function noted({ store }: Deps, own: OwnLog, record: LogRecord): Promise<OwnLog> {
  await store.write([{ put: 'meta', key: 'log', record }])
  return { ...own, record }
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
