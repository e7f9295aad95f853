import { equalBytes } from '#core/bytes/equal.ts'
import { type AccountPlace, placeOf } from '#core/message/roster.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import { isLarge } from '../channel/large.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { AccountRecord, Seam } from '../ports/records.ts'
import { addLine } from './lines.ts'
import { queueBodies } from './queue-bodies.ts'

/** More of them are named as what they are, and not asked for. */
const MAX_SEAMS = 32
/** Authors may be away for as long as their messages would have waited for this device (CHN11). */
const LARGE_FOR_MS = 30 * 24 * 60 * 60 * 1000

type Placed = Pick<Loaded, 'id' | 'channel' | 'sync'>
type Stretch = { readonly after: number; readonly upTo: number }

/**
 * This device came in at `upTo` and has what was sent up to `after`: it asks the others for their own messages of in between
 * (SEAM1), and a line says that something may be missing until all have answered; for good, where somebody of those `known` there is
 * gone, and can say nothing again. What the own account said there comes with its log.
 */
export async function openSeam<T extends Placed>(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  returned: T,
  own: AccountRecord,
  { after: appliedUpTo, upTo, known = [] }: Stretch & { readonly known?: readonly Pick<AccountPlace, 'account'>[] },
): Promise<T> {
  const after = Math.max(appliedUpTo, placeOf(returned.sync, own.account)?.since ?? upTo)
  const seam = seamOf(deps, returned, own, { after, upTo, at: upTo })
  if (after >= upTo - 1 || seam === undefined) return returned
  const line = { kind: 'notice', notice: 'gap', name: '', messageId: seam.ask, atMs: deps.clock.now() } as const
  const channel = await addLine(draft, returned, upTo, line)
  const isGone = known.some(({ account }) => placeOf(returned.sync, account) === undefined)
  return ask(deps, draft, { ...returned, channel }, isGone ? { ...seam, gone: true } : seam)
}

/**
 * What stands from `at` on can't be read by this device and never will be: that is said (M-09), and the author may send it
 * again. Such are messages sealed for an epoch before this device came in, and ordered after it, and what the relay no longer has.
 */
export async function missLines<T extends Placed>(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  loaded: T,
  own: AccountRecord,
  { after, upTo, cause }: Stretch & { readonly cause: string },
): Promise<T> {
  const at = after + 1
  const messageId = deps.dice(MESSAGE_ID_BYTES)
  const line = { kind: 'unreadable', cause, messageId, atMs: deps.clock.now() } as const
  const next = { ...loaded, channel: await addLine(draft, loaded, at, line) }
  const seam = seamOf(deps, loaded, own, { after, upTo, at })
  return seam === undefined ? next : ask(deps, draft, next, seam)
}

/** What was answered meanwhile was not for this device's leaf either: who has not answered is asked once more. */
export function askAgain(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  id: string,
  seams: readonly Seam[],
): Promise<void> {
  const asks = seams.map(({ ask: old, after, upTo }) => ({ kind: 'ask', id: old, after, upTo }) as const)
  return queueBodies(deps, draft, id, asks)
}

/** Nothing is missing there any more: the line that said so goes. */
export async function closeSeam(draft: Draft, id: string, { at }: Seam): Promise<void> {
  const line = await draft.get('lines', [id, at])
  if (line?.kind === 'unreadable' || (line?.kind === 'notice' && line.notice === 'gap')) draft.delete('lines', [id, at])
}

/** @returns undefined when there is nobody to ask */
function seamOf(
  { dice, clock }: Pick<Deps, 'dice' | 'clock'>,
  { sync }: Placed,
  own: AccountRecord,
  stretch: Stretch & { readonly at: number },
): Seam | undefined {
  const waiting = sync.accounts.map(({ account }) => account).filter((account) => !equalBytes(account, own.account))
  if (waiting.length === 0 || openOf(sync.seams, clock.now()).length >= MAX_SEAMS) return undefined
  const seam = { ...stretch, ask: dice(MESSAGE_ID_BYTES) as MessageId }
  return isLarge(sync) ? { ...seam, waiting: [], untilMs: clock.now() + LARGE_FOR_MS } : { ...seam, waiting }
}

/** SEAM5: in a large channel nobody is waited for; what is told again is taken for a while. */
function openOf(seams: readonly Seam[] = [], nowMs: number): readonly Seam[] {
  return seams.filter(({ untilMs = nowMs }) => untilMs >= nowMs)
}

async function ask<T extends Placed>(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  placed: T,
  seam: Seam,
): Promise<T> {
  const { ask: id, after, upTo } = seam
  await queueBodies(deps, draft, placed.id, [{ kind: 'ask', id, after, upTo }])
  return { ...placed, sync: { ...placed.sync, seams: [...openOf(placed.sync.seams, deps.clock.now()), seam] } }
}
