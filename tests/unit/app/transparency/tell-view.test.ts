import { beforeEach, describe, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import type { AccountRecord, ChannelRecord, SyncRecord } from '#app/ports/records.ts'
import { hasViews, noteView } from '#app/transparency/note-view.ts'
import { type Shown, tellView } from '#app/transparency/tell-view.ts'
import { sha256 } from '#core/crypto/hash.ts'
import type { Body } from '#core/message/body.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const bytes = (fill: number) => new Uint8Array(32).fill(fill)
const [ann, bea] = [bytes(1) as AccountId, bytes(2) as AccountId]
const manifest = Uint8Array.of(7)
const account: AccountRecord = { kind: 'account', account: ann, name: 'Ann', manifest, sequence: 3, backedUp: true }
const direct = { kind: 'direct' } as ChannelRecord
const placed = { accounts: [{ account: ann }, { account: bea }] } as unknown as SyncRecord
const shown: Shown = { account, head: { size: 9, root: bytes(3) } }

let store: PlainStore
beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  const record = { account: bea, name: 'Bea', manifest: Uint8Array.of(8), sequence: 5 }
  await store.write([{ put: 'contacts', key: 'k', record }])
})

/** Which of `count` messages say it, while what is shown stays as it is. */
async function saidIn(count: number, start: SyncRecord, now: Shown): Promise<{ said: number[]; sync: SyncRecord }> {
  const said: number[] = []
  let sync = start
  for (let n = 0; n < count; n++) {
    const { say, told } = await tellView({ store }, { channel: direct, sync }, now)
    if (say.own !== undefined) said.push(n)
    sync = { ...sync, told }
  }
  return { said, sync }
}

describe('what messages say of the directory', () => {
  it('[TRC1] is the head, the own manifest, and in a channel of two the other’s', async () => {
    const { say } = await tellView({ store }, { channel: direct, sync: placed }, shown)
    expect(say).toEqual({
      view: shown.head,
      own: { sequence: 3, hash: sha256(manifest) },
      theirs: { sequence: 5, hash: sha256(Uint8Array.of(8)) },
    })
    const group = await tellView({ store }, { channel: { ...direct, kind: 'group' }, sync: placed }, shown)
    expect(group.say.theirs).toBeUndefined()
  })

  it('[TRC1] is said once, in every twentieth message, and when it changed', async () => {
    const first = await saidIn(45, placed, shown)
    expect(first.said).toEqual([0, 20, 40])
    const grown = await saidIn(3, first.sync, { ...shown, head: { size: 10, root: bytes(4) } })
    expect(grown.said).toEqual([0])
    const changed = await saidIn(3, grown.sync, { ...shown, account: { ...account, sequence: 4 } })
    expect(changed.said).toEqual([0])
    const more = { ...changed.sync, accounts: [...placed.accounts, { account: bytes(5) }] } as unknown as SyncRecord
    expect((await saidIn(3, more, { ...shown, account: { ...account, sequence: 4 } })).said).toEqual([0])
  })

  it('[TRC2] is kept with the message, a few of each account, and of a group nothing about this one', async () => {
    const own = { sequence: 1, hash: bytes(6) }
    const text = { v: 1, id: bytes(1).slice(16) as MessageId, atMs: 1, kind: 'text', text: '' } as const
    const draft = new Draft(store)
    const { dice } = new Seeded(1)
    await noteView({ dice }, draft, direct, bea, text)
    expect(draft.empty).toBe(true)
    for (let n = 0; n < 30; n++) await noteView({ dice }, draft, direct, bea, { ...text, own } as Body)
    await noteView({ dice }, draft, { kind: 'group' }, ann, { ...text, own, theirs: own } as Body)
    expect(await hasViews(store)).toBe(false)
    await draft.commit()
    expect(await hasViews(store)).toBe(true)
    const kept = (await store.list('views')).map(({ record }) => record)
    expect(kept).toHaveLength(9)
    expect(kept.filter(({ theirs }) => theirs !== undefined)).toEqual([])
  })
})
