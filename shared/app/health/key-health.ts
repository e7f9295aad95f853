import type { ChannelHealth, ChannelProblem } from '../face.ts'
import { WAITING_FROM } from '../message/lines.ts'
import type { ChannelRecord, LineRecord, SyncRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** What can't be recovered, in which channel and why, and what a person can do about it (M-09). From the store alone. */
export async function keyHealth(store: Pick<Store, 'get' | 'list'>): Promise<readonly ChannelHealth[]> {
  const channels = await store.list('channels')
  const healths: ChannelHealth[] = []
  for (const { key, record } of channels) {
    if (record.kind === 'notes' || record.left !== undefined) continue
    const id = String(key)
    const sync = await store.get('syncs', id)
    healths.push(healthOf(id, record, sync, await problemsOf(store, id, record, sync)))
  }
  return healths.sort((a, b) => urgency(b) - urgency(a) || a.title.localeCompare(b.title))
}

function healthOf(
  id: string,
  { title, kind, state }: ChannelRecord,
  sync: SyncRecord | undefined,
  problems: readonly ChannelProblem[],
): ChannelHealth {
  const act = actFor(state, problems)
  return {
    id,
    title,
    kind: kind === 'direct' ? 'direct' : 'group',
    state,
    problems,
    ...(sync?.healedAtMs === undefined ? {} : { healedAtMs: sync.healedAtMs }),
    ...(sync?.nextHealMs === undefined || state !== 'open' ? {} : { nextHealMs: sync.nextHealMs }),
    ...(act === undefined ? {} : { act }),
  }
}

/** A fork is for the person to look at. New keys help where messages do not open. */
function actFor(state: ChannelRecord['state'], problems: readonly ChannelProblem[]): ChannelHealth['act'] {
  if (problems.some(({ what }) => what === 'forked')) return 'repair'
  return state === 'open' && problems.some(({ what }) => what === 'unreadable') ? 'heal' : undefined
}

function urgency({ act, problems }: ChannelHealth): number {
  return act === 'repair' ? 2 : problems.length > 0 ? 1 : 0
}

async function problemsOf(
  store: Pick<Store, 'get' | 'list'>,
  id: string,
  channel: ChannelRecord,
  sync: SyncRecord | undefined,
): Promise<readonly ChannelProblem[]> {
  const { state, pausedBy, pausedAtMs, lastAtMs } = channel
  const since = { count: 1, sinceMs: pausedAtMs ?? lastAtMs }
  const problems: ChannelProblem[] = []
  if (pausedBy === 'forked') problems.push({ what: 'forked', cause: 'channel/forked', ...since })
  if (pausedBy === 'broken') problems.push({ what: 'refused', cause: 'channel/broken', ...since })
  if (pausedBy === 'removed') problems.push({ what: 'refused', cause: 'seat/removed', ...since })
  if (state === 'returning') problems.push({ what: 'returning', cause: 'channel/returning', ...since })
  const seams = sync?.seams ?? []
  const gaps = await linesAt(
    store,
    id,
    seams.map(({ at }) => at),
  )
  if (seams.length > 0) problems.push({ ...about(gaps, 'gap', 'channel/gap', lastAtMs), count: seams.length })
  const places = (channel.unreadable ?? []).filter((order) => !seams.some(({ at }) => at === order))
  const unreadable = (await linesAt(store, id, places)).filter(({ kind }) => kind === 'unreadable')
  for (const [cause, lines] of byCause(unreadable)) problems.push(about(lines, 'unreadable', cause, lastAtMs))
  const waiting = await store.list('lines', { of: id, after: WAITING_FROM - 1 })
  for (const [cause, lines] of byCause(waiting.map(({ record }) => record)))
    problems.push(about(lines, 'refused', cause, lastAtMs))
  return problems
}

async function linesAt(store: Pick<Store, 'get'>, id: string, orders: readonly number[]): Promise<LineRecord[]> {
  const rows = await Promise.all(orders.map((order) => store.get('lines', [id, order])))
  return rows.filter((line) => line !== undefined)
}

/** Of those that did not open, or were not taken. */
function byCause(lines: readonly LineRecord[]): ReadonlyMap<string, readonly LineRecord[]> {
  const causes = new Map<string, LineRecord[]>()
  for (const line of lines) {
    const cause = line.kind === 'unreadable' ? line.cause : line.kind === 'text' ? line.failure : undefined
    const isFailed = line.kind !== 'text' || line.state === 'failed'
    if (cause !== undefined && isFailed) causes.set(cause, [...(causes.get(cause) ?? []), line])
  }
  return causes
}

function about(
  lines: readonly LineRecord[],
  what: ChannelProblem['what'],
  cause: string,
  otherwiseMs: number,
): ChannelProblem {
  const times = lines.map(({ atMs }) => atMs)
  return { what, count: lines.length, cause, sinceMs: times.length === 0 ? otherwiseMs : Math.min(...times) }
}
