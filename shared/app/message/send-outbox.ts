import { toBase64url } from '#core/bytes/base64url.ts'
import { nextHead } from '#core/channel/chain.ts'
import { RelayError, UsageError } from '#core/errors.ts'
import { type Body, decodeBody, encodeBody } from '#core/message/body.ts'
import { sealOuter } from '#core/message/outer.ts'
import { profileOf, sealMessage } from '#core/mls/index.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { MAX_POSTS_PER_REQUEST } from '#core/wire/limits.ts'
import type { PostResult } from '#core/wire/operations.ts'
import type { OwnRow } from '../channel/apply-ordered.ts'
import { advance, type Loaded, saveGroup } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { SharedInPost } from '../ports/share-records.ts'
import { shareAnew } from '../share/note-share.ts'
import { readShown, tellView } from '../transparency/tell-view.ts'
import { settleSent } from './settle-sent.ts'

/** Bytes of envelopes in one request, well below what a message may hold. */
const MAX_REQUEST_BYTES = 512 * 1024

/**
 * Sends what waits, in order. Everything is sealed and stored with the ratchet's step before any of it leaves (I-04);
 * after a crash the same envelopes go out again and the relay knows them by their ids.
 * @returns 'more' when another batch waits, 'behind' when what others have sent is applied first: one must be sealed anew, or
 *   is ordered behind that
 */
export async function sendOutbox(
  deps: Deps,
  before: Loaded,
): Promise<{ loaded: Loaded; left: 'nothing' | 'more' | 'behind' }> {
  const rows = await deps.store.list('outbox', { of: before.id, limit: MAX_POSTS_PER_REQUEST })
  if (rows.length === 0) return { loaded: before, left: 'nothing' }
  const { loaded, sealed } = await sealRows(deps, before, rows as readonly OwnRow[])

  const { results } = await deps.relay.call('channel.post', {
    address: loaded.sync.address,
    seat: loaded.sync.seat,
    token: loaded.sync.token,
    known: { position: loaded.sync.cursor, head: loaded.sync.head },
    posts: sealed.map(({ record }) => ({ id: record.postId, ...sealedOf(record), ...stashOf(record) })),
  })
  const settled = await settle(deps, loaded, sealed, results)
  const { cursor } = settled.sync
  const isBehind = results.some(({ outcome, position }) => outcome === 'stale' || position > cursor)
  if (isBehind) return { loaded: settled, left: 'behind' }
  return {
    loaded: settled,
    left: sealed.length < rows.length || rows.length === MAX_POSTS_PER_REQUEST ? 'more' : 'nothing',
  }
}

async function sealRows(
  deps: Deps,
  before: Loaded,
  rows: readonly OwnRow[],
): Promise<{ loaded: Loaded; sealed: OwnRow[] }> {
  const outer = before.sync.keys.at(-1)
  if (outer === undefined) throw new UsageError('sync/no-key')
  const seen = { position: before.sync.cursor, head: before.sync.head }
  const shown = await readShown(deps)
  const draft = new Draft(deps.store)
  const sealed: OwnRow[] = []
  let { group, sync } = before
  let total = 0
  for (const { key, record } of rows) {
    let row = record
    if (row.sealed === undefined) {
      const { say, told } = await tellView(deps, { channel: before.channel, sync }, shown)
      sync = { ...sync, told }
      const { timerMs } = profileOf(group)
      const body = encodeBody({ ...timed(decodeBody(row.body), timerMs), seen, ...say })
      const step = await sealMessage(group, body, new Uint8Array(), deps.dice)
      group = step.next
      draft.spend(step.spent)
      const envelope = await sealOuter(outer.key, before.sync.address, step.message)
      row = { ...row, sealed: { commits: outer.commits, envelope }, attempts: row.attempts + 1, timerMs }
      draft.put('outbox', key, row)
    }
    sealed.push({ key, record: row })
    total += row.sealed?.envelope.length ?? 0
    if (total > MAX_REQUEST_BYTES) break
  }
  saveGroup(draft, before.id, group, before.group)
  await draft.commit()
  return { loaded: { ...before, group, sync }, sealed }
}

function sealedOf(record: OwnRow['record']): { commits: number; envelope: Uint8Array } {
  if (record.sealed === undefined) throw new UsageError('outbox/not-sealed')
  return record.sealed
}

/** VAN1: the timer that the channel has now, whenever it was written. */
function timed(body: Body, timerMs: number): Body {
  if (body.kind !== 'text') return body
  const { timerMs: _, ...lasting } = body
  return timerMs === 0 ? lasting : { ...lasting, timerMs }
}

function stashOf({ shared }: OwnRow['record']): { stash?: SharedInPost['stash'] } {
  return shared === undefined ? {} : { stash: shared.stash }
}

async function settle(
  deps: Deps,
  before: Loaded,
  rows: readonly OwnRow[],
  results: readonly PostResult[],
): Promise<Loaded> {
  const draft = new Draft(deps.store)
  const byId = new Map(results.map((result) => [toBase64url(result.id), result]))
  let loaded = before
  let wasLiedTo = false
  for (const row of rows) {
    const result = byId.get(toBase64url(row.record.postId))
    // 'incomplete' of what names no stash would end the only copy of a message (M-09).
    const isLie = result?.outcome === 'incomplete' && row.record.shared === undefined
    if (result === undefined || isLie) throw badAnswer()
    if (result.outcome === 'incomplete') {
      // The relay has let go of what it tells of (CHN22): that is left there anew, and then said.
      draft.delete('outbox', row.key)
      await shareAnew(deps, draft, loaded.id, row.record)
      continue
    }
    const isUnseen = result.outcome === 'ordered' && isPassed(loaded, row, result.position)
    if (result.outcome === 'stale' || isUnseen) {
      // Never ordered, and never will be under this seal: the next one is made once the missed commits are applied.
      const { sealed: _, ...unsealed } = row.record
      const name = isUnseen ? { postId: deps.dice(POST_ID_BYTES) as PostId } : {} // that one was used for something else
      draft.put('outbox', row.key, { ...unsealed, ...name, attempts: 0 })
      const { told: __, ...sync } = loaded.sync // nor did anybody hear what it said of the directory
      loaded = { ...loaded, sync }
      wasLiedTo ||= isUnseen
      continue
    }
    // Settled once it comes, by its bytes: the relay may have something else to show at that place.
    if (result.position > loaded.sync.cursor + 1) continue
    loaded = {
      ...loaded,
      channel: await settleSent(draft, loaded, row, result.position, deps.clock.now()),
      sync: pass(draft, loaded, row, result.position),
    }
  }
  draft.put('channels', loaded.id, loaded.channel)
  draft.put('syncs', loaded.id, loaded.sync)
  await draft.commit()
  if (wasLiedTo) throw badAnswer()
  return loaded
}

function badAnswer(): RelayError {
  return new RelayError('relay/bad-answer', { retryable: true })
}

/**
 * Said to stand where this device has been and did not see it: it would have been settled there, by its bytes. Behind are only
 * places of before this device came in anew, where it may have stood under the seal that it had then.
 */
function isPassed({ sync }: Loaded, { record }: OwnRow, position: number): boolean {
  return position <= sync.cursor && (record.attempts === 1 || position > (sync.joinedAt ?? 0))
}

/** Goes past an own envelope when it is the very next one. */
function pass(draft: Draft, loaded: Loaded, { record }: OwnRow, position: number): Loaded['sync'] {
  const { sync } = loaded
  if (position <= sync.cursor) return sync
  const { commits, envelope } = sealedOf(record)
  const ordered = { position, commits, commit: false, id: record.postId, envelope }
  return advance(draft, loaded, position, nextHead(sync.head, ordered))
}
