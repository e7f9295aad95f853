import { toBase64url } from '#core/bytes/base64url.ts'
import { MAX_SHARED_LINES, type SharedLine } from '#core/log/shared-history.ts'
import { blockedAccounts } from '../contact/block.ts'
import { numberIn } from '../log/blocks.ts'
import { newestLines } from '../log/history.ts'
import type { LineRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

const PAGE = 256
const FIRST_ROWS = 32
const FIRST_BLOCKS = 2
const NOBODY: ReadonlySet<string> = new Set()

type Earlier = { readonly since: number; readonly fromMs: number }

/**
 * What this account may share of a channel's earlier messages, newest first (SHR2): what it has opened itself or from its own log.
 * Not what was shared with it, what is to vanish, what others may not have (C-06), and what blocked people said, which this person
 * does not see either (M-11).
 */
export async function* earlierLines(
  store: Pick<Store, 'list'>,
  channelId: string,
  { since, fromMs }: Earlier,
): AsyncGenerator<SharedLine> {
  const blocked = await blockedAccounts(store)
  let left = MAX_SHARED_LINES
  for (let before = since; left > 0; ) {
    const page = await newestLines(store, channelId, { before, limit: PAGE })
    let isOlder = page.length > 0
    for (const { order, line } of page) {
      if (line.atMs >= fromMs) isOlder = false
      if (left === 0 || line.atMs < fromMs || !mayBeShared(line, blocked)) continue
      const { messageId: id, author, atMs, text } = line
      yield { id, author, atMs, order: Math.floor(order), text }
      left--
    }
    before = page.at(-1)?.order ?? 0
    // Authors' clocks differ a little, so that a line alone ends nothing.
    if (page.length < PAGE || isOlder) return
  }
}

function mayBeShared(line: LineRecord, blocked: ReadonlySet<string>): line is LineRecord & { readonly kind: 'text' } {
  if (line.kind !== 'text' || line.sharedBy !== undefined || line.vanishesAtMs !== undefined || line.aside) return false
  if (line.mine) return line.state === 'sent' || line.state === 'delivered'
  return !blocked.has(toBase64url(line.author))
}

/** Where the first message stands that this account could share; not further than the first few lines are looked through. */
export async function firstToShare(store: Pick<Store, 'list'>, channelId: string): Promise<number | undefined> {
  const [rows, blocks] = await Promise.all([
    store.list('lines', { of: channelId, limit: FIRST_ROWS }),
    store.list('blocks', { of: channelId, limit: FIRST_BLOCKS }),
  ])
  const lines = [
    ...blocks.flatMap(({ record }) => record.lines),
    ...rows.map(({ key, record }) => ({ order: numberIn(key), line: record })),
  ]
  const orders = lines.flatMap(({ order, line }) => (mayBeShared(line, NOBODY) ? [order] : []))
  return orders.length === 0 ? undefined : Math.min(...orders)
}

/** How many of them there are since each of these times. */
export async function countEarlier(
  store: Pick<Store, 'list'>,
  channelId: string,
  since: number,
  fromMs: readonly number[],
): Promise<readonly number[]> {
  const counts = fromMs.map(() => 0)
  for await (const { atMs } of earlierLines(store, channelId, { since, fromMs: 0 })) {
    for (const [i, from] of fromMs.entries()) if (atMs >= from) counts[i] = (counts[i] ?? 0) + 1
  }
  return counts
}
