import { toBase64url } from '#core/bytes/base64url.ts'
import { noteOrder } from '#core/log/notes.ts'
import { readAccount } from '../account/read-account.ts'
import { isBlocked } from '../contact/block.ts'
import type { Line, LinePage } from '../face.ts'
import { type HistoryLine, newestLines } from '../log/history.ts'
import { NOTES } from '../log/notes.ts'
import { WAITING_FROM } from '../message/lines.ts'
import type { LineRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** One page of a conversation: what is stored, and at its end what faces wrote that the engine has not taken up yet. */
export async function linePage(
  store: Pick<Store, 'get' | 'list'>,
  channelId: string,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<LinePage> {
  const contacts = await store.list('contacts')
  const blocked = new Set(contacts.flatMap(({ record }) => (isBlocked(record) ? [toBase64url(record.account)] : [])))
  const [rows, read, account, channel, written] = await Promise.all([
    shownLines(store, channelId, { before, limit: limit + 1 }, blocked),
    store.get('reads', channelId),
    readAccount(store),
    store.get('channels', channelId),
    before === undefined ? store.list('intents') : [],
  ])
  // Whom this account knows, by the name that it has for them; others as they call themselves here.
  const people = [...(channel?.names ?? []), ...contacts.map(({ record }) => record)]
  const nameOf = new Map(people.map(({ account: one, name }) => [toBase64url(one), name]))
  const own = account === undefined ? '' : toBase64url(account.account)
  const lines = rows.slice(0, limit).map(({ order, line }) => lineOf(order, line, nameOf, own))
  lines.reverse()
  const known = new Set(lines.map((line) => line.id))
  for (const { key, record } of written) {
    if (record.channelId !== channelId || record.intent !== 'text') continue
    const id = toBase64url(record.messageId)
    if (known.has(id)) continue // taken up between the two reads
    const author = { id: own, name: account?.name ?? '', mine: true }
    const order = channelId === NOTES ? noteOrder(record.atMs, record.messageId) : WAITING_FROM + Number(key)
    lines.push({ id, order, atMs: record.atMs, author, kind: 'text', text: record.text, state: 'waiting' })
  }
  lines.sort((a, b) => a.order - b.order)
  return { lines, hasOlder: rows.length > limit, readUpTo: read?.order ?? -1 }
}

/** What somebody said who is blocked is kept, and passed over here (M-11). */
async function shownLines(
  store: Pick<Store, 'list'>,
  channelId: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
  blocked: ReadonlySet<string>,
): Promise<readonly HistoryLine[]> {
  const shown: HistoryLine[] = []
  for (let end = before; ; ) {
    const rows = await newestLines(store, channelId, { before: end, limit })
    shown.push(...rows.filter(({ line }) => line.mine || !blocked.has(toBase64url(line.author))))
    end = rows.at(-1)?.order
    if (rows.length < limit || shown.length >= limit || blocked.size === 0) return shown.slice(0, limit)
  }
}

function lineOf(order: number, record: LineRecord, nameOf: ReadonlyMap<string, string>, own: string): Line {
  const authorId = toBase64url(record.author)
  const common = {
    id: toBase64url(record.messageId),
    order,
    atMs: record.atMs,
    author: { id: authorId, name: nameOf.get(authorId) ?? '', mine: record.mine },
  }
  switch (record.kind) {
    case 'text': {
      const failure = record.failure === undefined ? {} : { failure: record.failure }
      const aside = record.aside ? { aside: true as const } : {}
      const vanishing = record.vanishesAtMs === undefined ? {} : { vanishesAtMs: record.vanishesAtMs }
      const by = record.sharedBy && toBase64url(record.sharedBy)
      const shared = by === undefined ? {} : { sharedBy: { id: by, name: nameOf.get(by) ?? '' } }
      return {
        ...common,
        kind: 'text',
        text: record.text,
        state: record.state,
        ...failure,
        ...aside,
        ...shared,
        ...vanishing,
      }
    }
    case 'unreadable':
      return { ...common, kind: 'unreadable', cause: record.cause }
    case 'group': {
      const names = record.accounts.map((account) => nameOf.get(toBase64url(account)) ?? '')
      const { notice, count, value } = record
      const me = record.accounts.some((account) => toBase64url(account) === own) ? { me: true as const } : {}
      return { ...common, kind: 'group', notice, by: common.author.name, names, count, value, ...me }
    }
    case 'notice':
      return { ...common, kind: 'notice', notice: record.notice, name: record.name }
  }
}
