import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MessageId } from '#core/wire/ids.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeKeyMemory } from '../../support/key-memory.ts'
import { MemoryRows, makeMemoryHandles } from '../../support/memory-rows.ts'

const intent = {
  intent: 'text',
  channelId: 'c',
  messageId: new Uint8Array(16) as MessageId,
  text: 'the plain text',
  atMs: 1,
} as const

describe('the sealed store', () => {
  let rows: MemoryRows
  let handles: ReturnType<typeof makeMemoryHandles>
  let store: SealedStore
  beforeEach(async () => {
    rows = new MemoryRows()
    handles = makeMemoryHandles()
    store = new SealedStore(rows, handles, makeKeyMemory())
    await store.create()
    await store.takeOver()
  })

  it('[K-04] leaves nothing readable but row keys, and opens what it sealed', async () => {
    const seen: Uint8Array[] = []
    rows.onWrite = (changes) => {
      for (const change of changes) if ('put' in change) seen.push(change.value)
    }
    await store.write([{ put: 'drafts', key: 'c', record: { text: 'the plain text' } }])
    expect(Buffer.concat(seen).includes('plain')).toBe(false)
    expect(await store.get('drafts', 'c')).toEqual({ text: 'the plain text' })
  })

  it('[K-04] keeps the storage key as a handle that can’t be exported', async () => {
    const key = await handles.load('storage')
    expect(key?.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('raw', key as CryptoKey)).rejects.toThrow()
  })

  it('binds a row to its table and key: one that was moved does not open', async () => {
    await store.write([{ put: 'drafts', key: 'a', record: { text: 'mine' } }])
    const value = await rows.get('drafts', 'a')
    await rows.write([{ put: 'drafts', key: 'b', value: value ?? new Uint8Array() }], undefined)
    await expect(store.get('drafts', 'b')).rejects.toMatchObject({ code: 'store/broken' })
    expect(await store.get('drafts', 'a')).toEqual({ text: 'mine' })
  })

  it('names a row of a later version and a damaged one', async () => {
    await store.write([{ put: 'drafts', key: 'a', record: { text: 'mine' } }])
    const value = (await rows.get('drafts', 'a')) ?? new Uint8Array()
    await rows.write([{ put: 'drafts', key: 'a', value: value.with(0, 9) }], undefined)
    await expect(store.get('drafts', 'a')).rejects.toMatchObject({ code: 'store/newer' })
    await rows.write(
      [{ put: 'drafts', key: 'a', value: value.with(value.length - 1, (value.at(-1) ?? 0) ^ 1) }],
      undefined,
    )
    await expect(store.get('drafts', 'a')).rejects.toMatchObject({ code: 'store/broken' })
  })

  it('[U-04] takes intents from any context, and writes from the newest writer alone', async () => {
    const tab = new SealedStore(rows, handles, makeKeyMemory())
    await tab.append(intent)
    expect((await store.list('intents')).map((row) => row.record)).toEqual([intent])
    await expect(tab.write([])).rejects.toMatchObject({ code: 'store/fenced' })
    await tab.takeOver()
    await expect(store.write([{ put: 'drafts', key: 'a', record: { text: '' } }])).rejects.toMatchObject({
      code: 'store/fenced',
    })
  })

  it('[U-04] gives a table of a later schema its key at the first row, one key whoever comes first', async () => {
    await rows.write([{ delete: 'keys', key: 'drafts' }], undefined)
    const tabs = [new SealedStore(rows, handles, makeKeyMemory()), new SealedStore(rows, handles, makeKeyMemory())]
    expect(await tabs[0]?.get('drafts', 'a')).toBeUndefined()
    await Promise.all(tabs.map((tab, n) => tab.writeFree('drafts', `${n}`, { text: `of ${n}` })))
    const later = new SealedStore(rows, handles, makeKeyMemory())
    expect((await later.list('drafts')).map((row) => row.record.text)).toEqual(['of 0', 'of 1'])
  })

  it('[U-07] makes no second key for a table that has rows and lost its key', async () => {
    await store.write([{ put: 'drafts', key: 'a', record: { text: 'mine' } }])
    await rows.write([{ delete: 'keys', key: 'drafts' }], undefined)
    const tab = new SealedStore(rows, handles, makeKeyMemory())
    await expect(tab.get('drafts', 'a')).rejects.toMatchObject({ code: 'store/keys-missing' })
    await expect(tab.writeFree('drafts', 'b', { text: '' })).rejects.toMatchObject({ code: 'store/keys-missing' })
  })

  it('[U-07] tells an empty store from one that lost its keys or its rows, and never makes a second one over it', async () => {
    expect(await store.condition()).toBe('usable')
    await expect(store.create()).rejects.toMatchObject({ code: 'store/exists' })
    expect(await new SealedStore(rows, makeMemoryHandles(), makeKeyMemory()).condition()).toBe('keys-missing')
    expect(
      await new SealedStore(new MemoryRows(), handles, makeKeyMemory()).condition(),
      'a first run that went no further',
    ).toBe('empty')
    await handles.save('device-signing', (await handles.load('storage')) as CryptoKey)
    expect(await new SealedStore(new MemoryRows(), handles, makeKeyMemory()).condition()).toBe('data-missing')
  })
})
