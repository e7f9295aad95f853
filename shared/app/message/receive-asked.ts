import { equalBytes } from '#core/bytes/equal.ts'
import type { AgainBody, AnsweredBody, AskBody } from '#core/message/body.ts'
import { placeOf } from '#core/message/roster.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Ordered } from '#core/wire/operations.ts'
import type { Loaded } from '../channel/loaded.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { type HistoryLine, hasMessage, putHistory } from '../log/history.ts'
import { noteLine } from '../log/note-line.ts'
import type { AccountRecord, Asked, Seam } from '../ports/records.ts'
import { giveWay } from '../share/give-way.ts'
import { closeSeam } from './seam.ts'
import { takeBackIn } from './take-back-in.ts'
import { hasVanished, noteIfVanishing } from './vanish.ts'

/** More than this many are not kept for later: whoever is left out asks again when it comes back again. */
const MAX_ASKED = 32
/** Who was not in the channel all that time has it from its account's log alone, which may still be on its way. */
const NOT_THERE_MS = 60_000
/** One device answers for its account; the others hear that and keep still. */
const ANSWER_WITHIN_MS = { direct: 1_000, group: 15_000 } as const

export type FromMember = { readonly account: AccountId }

/**
 * SEAM2: only what was sent while the asking account was in the channel, and before it came back; from an own device there
 * is nothing to answer, its account's log has it.
 */
export function noteAsked(
  deps: Deps,
  loaded: Loaded,
  own: AccountRecord,
  from: FromMember,
  item: Ordered,
  body: AskBody,
): Loaded {
  const since = placeOf(loaded.sync, from.account)?.since
  if (since === undefined || equalBytes(from.account, own.account)) return loaded
  const asked: Asked = {
    ask: body.id,
    after: Math.max(body.after, since),
    upTo: Math.min(body.upTo, item.position),
    notBeforeMs:
      deps.clock.now() + spread(deps, ANSWER_WITHIN_MS[loaded.channel.kind === 'direct' ? 'direct' : 'group']),
  }
  const wasThere = (loaded.sync.joinedAt ?? item.position) <= asked.after
  const known = loaded.sync.asked ?? []
  if (known.length >= MAX_ASKED) return loaded
  const later = wasThere ? asked : { ...asked, notBeforeMs: asked.notBeforeMs + NOT_THERE_MS }
  return { ...loaded, sync: { ...loaded.sync, asked: [...known, later] } }
}

/** SEAM3: an author's own messages, where this device could not read them. What it has already stays as it is. */
export async function takeAgain(
  deps: Pick<Deps, 'clock'>,
  draft: Draft,
  loaded: Loaded,
  { account }: FromMember,
  { lines }: AgainBody,
): Promise<number> {
  const missed: AgainBody['lines'][number][] = []
  for (const line of lines) {
    const isInside = (loaded.sync.seams ?? []).some((seam) => isIn(seam, line.order))
    const isTwice = missed.some(({ id }) => equalBytes(id, line.id))
    if (!isInside || isTwice) continue
    // One id, one line (U-03).
    const isKnown = await hasMessage(draft, loaded.id, line.id)
    if (!isKnown || (loaded.channel.hasShared && (await giveWay(draft, loaded.id, line.id)))) missed.push(line)
    else await takeBackIn(draft, loaded.id, { account, messageId: line.id, order: line.order })
  }
  const told: HistoryLine[] = []
  for (const { id: messageId, atMs, order, text, leftMs } of missed) {
    if (leftMs !== undefined && (await hasVanished(draft, loaded.id, messageId))) continue
    const line = { messageId, author: account, atMs, mine: false, theirs: 0, kind: 'text', text } as const
    const vanishing = leftMs === undefined ? {} : { vanishesAtMs: deps.clock.now() + leftMs }
    told.push({ order, line: { ...line, state: 'delivered', ...vanishing } })
  }
  const added = await putHistory(draft, loaded.id, told, { besides: loaded.channel.repaired === true })
  for (const { order, line } of added) {
    noteLine(draft, loaded.id, order)
    await noteIfVanishing(draft, loaded.id, line)
  }
  return added.length
}

/** SEAM4: of this account all is there. Of an own device: this one need not answer too. */
export async function noteAnswered(
  draft: Draft,
  loaded: Loaded,
  own: AccountRecord,
  { account }: FromMember,
  { ask }: AnsweredBody,
): Promise<Loaded> {
  const { sync } = loaded
  if (equalBytes(account, own.account)) {
    return { ...loaded, sync: { ...sync, asked: (sync.asked ?? []).filter((one) => !equalBytes(one.ask, ask)) } }
  }
  const seams: Seam[] = []
  for (const seam of sync.seams ?? []) {
    const waiting = equalBytes(seam.ask, ask)
      ? seam.waiting.filter((other) => !equalBytes(other, account))
      : seam.waiting
    if (waiting.length > 0 || seam.untilMs !== undefined) seams.push({ ...seam, waiting })
    else if (!seam.gone) await closeSeam(draft, loaded.id, seam)
  }
  return { ...loaded, sync: { ...sync, seams } }
}

function isIn({ after, upTo }: Seam, order: number): boolean {
  return order > after && order < upTo
}
