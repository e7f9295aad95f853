import { nextLogHead } from '#core/channel/log-chain.ts'
import { newest } from '#core/keys/key-ring.ts'
import type { Delta } from '#core/log/delta.ts'
import { packDeltas } from '#core/log/pack.ts'
import { sealEntry } from '#core/log/seal.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { MAX_LOG_ENTRIES } from '#core/wire/limits.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { Hands } from './in-turns.ts'
import { PUSHED, waitingKey } from './note-line.ts'
import { NOTES, settleNotes } from './notes.ts'
import type { OwnLog } from './own-log.ts'
import { withRow } from './vanishing-places.ts'
import { type ToPush, type Waiting, waitingDeltas } from './waiting-deltas.ts'

/** Of entries in one request, well below what a message may hold. */
const MAX_REQUEST_BYTES = 512 * 1024
/** So many entries of its own a device can append again, should the relay lose them (L-04). */
const KEPT_ENTRIES = 4096

/**
 * Appends what waits, behind the place that this device knows (LOG3). Nothing is noted before it: an entry whose answer
 * got lost comes back with the next pull, and what it says is then not appended again.
 * @throws RelayError 'log/behind': others were first, pull
 */
export async function pushLog(deps: Deps, hands: Hands, own: OwnLog): Promise<{ own: OwnLog; more: boolean }> {
  const waiting = await waitingDeltas(deps, own)
  if (waiting.items.length === 0) {
    if (waiting.gone.length > 0) await deps.store.write(waiting.gone.map((key) => ({ delete: 'deltas', key })))
    return { own, more: false }
  }
  const { entries, taken } = await sealAll(deps, own, waiting.items)
  const { address, record } = own
  const { position, head } = record
  await deps.relay.call('log.append', {
    address,
    token: newest(own.ring).logToken,
    after: { position, head },
    entries: entries.map(({ id, bytes }) => ({ id, bytes })),
  })
  const after = await settle(deps, hands, own, waiting, entries)
  return { own: after, more: taken < waiting.items.length || waiting.more }
}

type Sealed = { readonly id: PostId; readonly bytes: Uint8Array; readonly count: number }

async function sealAll(
  deps: Deps,
  { device, ring, address, record }: OwnLog,
  items: readonly ToPush[],
): Promise<{ entries: Sealed[]; taken: number }> {
  const entries: Sealed[] = []
  let [taken, bytes] = [0, 0]
  const packed = packDeltas(
    device.deviceId,
    items.map(({ delta }): Delta => delta),
  )
  for (const entry of packed.slice(0, MAX_LOG_ENTRIES)) {
    const position = record.position + 1 + entries.length
    const sealed = await sealEntry(newest(ring), { address, position }, entry, deps.dice)
    if (bytes > 0 && bytes + sealed.length > MAX_REQUEST_BYTES) break
    entries.push({ id: deps.dice(POST_ID_BYTES) as PostId, bytes: sealed, count: entry.deltas.length })
    taken += entry.deltas.length
    bytes += sealed.length
  }
  return { entries, taken }
}

/** They are in the log: noted there, and wait no more. */
async function settle(
  deps: Deps,
  hands: Hands,
  own: OwnLog,
  { items, gone, lastStamp }: Waiting,
  entries: readonly Sealed[],
): Promise<OwnLog> {
  const draft = new Draft(deps.store)
  let { position, head, singles, vanishing } = own.record
  const notes: number[] = []
  let at = 0
  for (const key of gone) draft.delete('deltas', key)
  for (const { bytes, count } of entries) {
    position += 1
    singles += 1
    head = nextLogHead(head, position, bytes)
    const inIt = items.slice(at, at + count)
    at += count
    vanishing = withRow(vanishing, position, inIt)
    const lines = inIt.flatMap(({ line }) => line ?? [])
    for (const { channelId, order } of lines) draft.delete('deltas', waitingKey(channelId, order))
    if (lines.length > 0) draft.put('deltas', [PUSHED, position], { lines })
    draft.delete('deltas', [PUSHED, position - KEPT_ENTRIES])
    for (const { book } of inIt) {
      const logged = book && (await draft.get('logged', book.key))
      if (logged !== undefined && logged.stamp === book?.stamp) draft.put('logged', book.key, { ...logged, position })
    }
    for (const { line } of inIt) if (line?.channelId === NOTES) notes.push(line.order)
  }
  const record = { ...own.record, position, head, singles, lastStamp, vanishing }
  draft.put('meta', 'log', record)
  if (notes.length === 0) await draft.commit()
  else {
    await hands.turn(NOTES, async () => {
      await settleNotes(draft, notes)
      await draft.commit()
    })
    for (const change of [{ what: 'lines', channelId: NOTES }, { what: 'channels' }] as const)
      deps.changes.announce(change)
  }
  return { ...own, record }
}
