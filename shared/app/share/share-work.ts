import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { HistoryOffer, Work } from '../face.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { Change, RowKey, Store } from '../ports/store.ts'
import { nameIn } from './share-keys.ts'

type Kind = 'share' | 'take'
const IN: Readonly<Record<Kind, ShareRecord['share']>> = { share: 'out', take: 'in' }

/** How far what is shared and what is taken are (U-06), of all channels together. */
export async function shareWork(store: Pick<Store, 'list'>, online: boolean): Promise<readonly Work[]> {
  const rows = await store.list('shares')
  const works: Work[] = []
  for (const kind of ['share', 'take'] as const) {
    const counted = rows.flatMap(({ record }) => (record.share === IN[kind] ? countOf(record) : []))
    if (counted.length === 0) continue
    const done = counted.reduce((sum, one) => sum + one.done, 0)
    const total = counted.reduce((sum, one) => sum + one.total, 0)
    const problem = counted.find(({ failed }) => failed !== undefined)?.failed
    if (problem !== undefined) works.push({ kind, done, total, state: 'failed', problem })
    else works.push({ kind, done, total, state: online ? 'running' : 'waiting' })
  }
  return works
}

type Counted = { readonly done: number; readonly total: number; readonly failed: string | undefined }

function countOf(record: ShareRecord): Counted[] {
  if (record.share === 'out') return [{ done: record.done, total: record.total, failed: record.failed }]
  if (record.share === 'day' || record.asked) return []
  return [{ done: record.taken, total: record.count, failed: record.failed }]
}

/** Stopped: what was taken so far stays, what was not said yet never will be. Where some failed those alone are put away. */
export async function cancelShares(
  deps: Deps,
  turn: <T>(name: string, task: () => Promise<T>) => Promise<T>,
  kind: Kind,
) {
  const going = (await deps.store.list('shares')).filter(
    ({ record }) => record.share === IN[kind] && countOf(record).length > 0,
  )
  const failed = going.filter(({ record }) => countOf(record).some((one) => one.failed !== undefined))
  for (const { key } of failed.length > 0 ? failed : going) {
    await turn(String((key as readonly [string, string])[0]), async () => {
      await deps.store.write([{ delete: 'shares', key }])
    })
  }
}

/** What waits for the person's word. */
export async function historyOffers(
  store: Pick<Store, 'list'>,
  channelId: string,
  nameOf: (account: Uint8Array) => string,
): Promise<readonly HistoryOffer[]> {
  const rows = await store.list('shares', { of: channelId })
  return rows.flatMap(({ key, record }) =>
    record.share === 'in' && record.asked ? [{ id: nameIn(key), by: nameOf(record.by), count: record.count }] : [],
  )
}

/** The person takes it, or not. Runs in the channel's turn. @throws InputError 'history/unknown' */
export async function answerOffer(deps: Deps, channelId: string, id: string, takes: boolean): Promise<void> {
  const key: RowKey = [channelId, id]
  const record = await deps.store.get('shares', key)
  if (record?.share !== 'in' || !record.asked) throw new InputError('history/unknown')
  const { asked: _, ...going } = record
  const change: Change = takes ? { put: 'shares', key, record: going } : { delete: 'shares', key }
  await deps.store.write([change])
}
