import { beforeEach, describe, expect, it } from 'vitest'
import { unreadOf, unreadTotal } from '#app/channel/unread.ts'
import { channelViews } from '#app/face/channel-views.ts'
import { invitationViews } from '#app/face/invitation-views.ts'
import { linePage } from '#app/face/line-page.ts'
import { WAITING_FROM } from '#app/message/lines.ts'
import type { JoinRecord } from '#app/ports/join-records.ts'
import type { AccountRecord, ChannelRecord, InvitationRecord, LineRecord } from '#app/ports/records.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../support/memory-rows.ts'
import { PlainStore } from '../../support/sim/plain-store.ts'

const account = new Uint8Array(32).fill(1) as AccountId
const other = new Uint8Array(32).fill(2) as AccountId
const id = (n: number) => new Uint8Array(16).fill(n) as MessageId
const channel: ChannelRecord = {
  title: 'Bea',
  kind: 'direct',
  state: 'open',
  lastText: 'stored',
  lastAtMs: 5,
  lastState: 'theirs',
  theirs: 4,
}
const line = (n: number, author = other): LineRecord => {
  return { messageId: id(n), author, atMs: n, mine: false, theirs: n, kind: 'text', text: `line ${n}`, state: 'sent' }
}
const written = (n: number, channelId = 'c') =>
  ({ intent: 'text', channelId, messageId: id(n), text: `written ${n}`, atMs: n }) as const

let store: PlainStore
beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([
    { put: 'channels', key: 'c', record: channel },
    ...[1, 2, 3].map((n) => ({ put: 'lines', key: ['c', n], record: line(n) }) as const),
    { put: 'lines', key: ['d', 1], record: line(9) },
    { put: 'contacts', key: 'k', record: { account: other, name: 'Bea', manifest: new Uint8Array(), sequence: 1 } },
  ])
})

describe('a page of lines', () => {
  const texts = async (page: { before?: number; limit: number }) => {
    const { lines, hasOlder } = await linePage(store, 'c', page)
    return [lines.map((one) => (one.kind === 'text' ? one.text : '')), hasOlder]
  }

  it('[U-03] shows what faces wrote at its end, in order, before the engine takes it up; once it has, not twice', async () => {
    for (const n of [11, 12]) await store.append(written(n))
    await store.append(written(13, 'd'))
    expect(await texts({ limit: 10 })).toEqual([['line 1', 'line 2', 'line 3', 'written 11', 'written 12'], false])
    const taken = { ...line(11, account), mine: true, text: 'written 11' } as LineRecord
    await store.write([{ put: 'lines', key: ['c', WAITING_FROM + 1], record: taken }])
    expect(await texts({ limit: 10 })).toEqual([['line 1', 'line 2', 'line 3', 'written 11', 'written 12'], false])
  })

  it('has the newest of what is asked for, says whether there is more, and older pages hold nothing that waits', async () => {
    await store.append(written(11))
    expect(await texts({ limit: 2 })).toEqual([['line 2', 'line 3', 'written 11'], true])
    expect(await texts({ limit: 2, before: 3 })).toEqual([['line 1', 'line 2'], false])
  })

  it('names authors by contact, and tells where reading stopped', async () => {
    await store.writeFree('reads', 'c', { order: 2, theirs: 2 })
    const page = await linePage(store, 'c', { limit: 1 })
    expect(page).toMatchObject({ readUpTo: 2, lines: [{ author: { name: 'Bea', mine: false } }] })
    expect((await linePage(store, 'd', { limit: 1 })).readUpTo).toBe(-1)
  })
})

describe('the channel list', () => {
  it('shows what was written last though no engine has it, the draft, and what is unread', async () => {
    expect(await channelViews(store, 0)).toMatchObject([
      { lastText: 'stored', lastState: 'theirs', unread: 4, draft: '' },
    ])
    await store.append(written(11))
    await store.append(written(12))
    await store.append({ intent: 'discard', channelId: 'c', messageId: id(1) })
    await store.writeFree('drafts', 'c', { text: 'half a' })
    await store.writeFree('reads', 'c', { order: 3, theirs: 3 })
    expect(await channelViews(store, 0)).toMatchObject([
      { lastText: 'written 12', lastAtMs: 12, lastState: 'waiting', unread: 1, draft: 'half a' },
    ])
  })

  it('[C-09] says how many ask to come in where this account may let them in, and nowhere else', async () => {
    const join = { channelId: 'g', person: { account: other }, state: 'asked' } as unknown as JoinRecord
    const group: ChannelRecord = { ...channel, kind: 'group', roles: [{ account, role: 'admin' }] }
    const asking = async (record: ChannelRecord) => {
      await store.write([{ put: 'channels', key: 'g', record }])
      return (await channelViews(store, 0)).find(({ id: one }) => one === 'g')?.asking
    }
    await store.write([
      { put: 'meta', key: 'account', record: { kind: 'account', account, name: 'Ann' } as AccountRecord },
      { put: 'joins', key: 'j', record: join },
    ])
    expect(await asking(group)).toBe(1)
    expect(await asking({ ...group, roles: [{ account, role: 'member' }] })).toBeUndefined()
    expect(await asking({ ...group, left: 'left' })).toBeUndefined()
    expect(await asking({ ...group, state: 'paused', pausedBy: 'removed' })).toBeUndefined()
  })

  it('unread counts lines of others, never below nothing, over all channels', async () => {
    expect(unreadOf(channel, undefined)).toBe(4)
    expect(unreadOf(channel, { order: 9, theirs: 7 })).toBe(0)
    await store.write([{ put: 'channels', key: 'd', record: { ...channel, theirs: 2 } }])
    await store.writeFree('reads', 'd', { order: 1, theirs: 1 })
    expect(await unreadTotal(store, 0)).toBe(5)
  })
})

describe('invitations', () => {
  it('[C-12] are expired by the clock, newest first', async () => {
    const made = (expiresAtMs: number, state: InvitationRecord['state']) =>
      ({ expiresAtMs, state, link: `until ${expiresAtMs}` }) as InvitationRecord
    await store.write([
      { put: 'invitations', key: 'x', record: made(10, 'open') },
      { put: 'invitations', key: 'y', record: made(20, 'open') },
      { put: 'invitations', key: 'z', record: made(5, 'used') },
    ])
    expect((await invitationViews(store, 10)).map((one) => [one.id, one.state])).toEqual([
      ['y', 'open'],
      ['x', 'expired'],
      ['z', 'used'],
    ])
  })
})
