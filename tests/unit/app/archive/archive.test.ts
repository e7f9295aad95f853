import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIdentity } from '#app/account/create-identity.ts'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readAccount } from '#app/account/read-account.ts'
import { ArchiveDesk } from '#app/archive/archive-desk.ts'
import { decodeHead, decodeLine } from '#app/archive/archive-line.ts'
import { importBatch } from '#app/archive/import-batch.ts'
import { readArchive } from '#app/archive/read-archive.ts'
import type { Deps } from '#app/deps.ts'
import { Draft } from '#app/draft.ts'
import { linePage } from '#app/face/line-page.ts'
import { applyLines } from '#app/log/apply-lines.ts'
import { putHistory } from '#app/log/history.ts'
import { NOTES, notesChannel } from '#app/log/notes.ts'
import type { Applying } from '#app/log/settle-book.ts'
import { takeBackIn } from '#app/message/take-back-in.ts'
import type { ArchiveSeal } from '#app/ports/archive-seal.ts'
import type { Bridge } from '#app/ports/bridge.ts'
import type { AccountRecord, ChannelRecord, LineRecord, SyncRecord } from '#app/ports/records.ts'
import type { Store } from '#app/ports/store.ts'
import { countEarlier } from '#app/share/earlier-lines.ts'
import { putShared } from '#app/share/put-shared.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { fromUtf8, toUtf8 } from '#core/bytes/utf8.ts'
import { WireError } from '#core/errors.ts'
import type { AccountId, Address, DeviceId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows, makeMemoryHandles } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const ADDRESS = new Uint8Array(32).fill(5) as Address
const TOKEN = new Uint8Array(32).fill(66)
const hands = { turn: <T>(_name: string, task: () => Promise<T>) => task() }

/** No seal: what it does is shown where it is tested. */
const plainSeal: ArchiveSeal = {
  seal: async (_passphrase, plain) => plain,
  open: async (_passphrase, file) => file.stream(),
}

type Device = { readonly deps: Deps; readonly store: PlainStore }

async function makeDevice(seed: number, name = 'Ann'): Promise<Device> {
  const store = new PlainStore(new MemoryRows())
  const clock = { now: () => 1_000, after: () => () => {} }
  const deps = { store, handles: makeMemoryHandles(), dice: new Seeded(seed).dice, clock } as unknown as Deps
  await createIdentity(deps, { name, deviceName: 'laptop', deviceKind: 'web' })
  return { deps, store }
}

/** Another device of the same account: what linking or the words bring. */
async function secondDevice({ store: first }: Device, seed: number): Promise<Device> {
  const second = await makeDevice(seed)
  for (const key of ['account', 'keyRing']) {
    const record = await first.get('meta', key)
    if (record !== undefined) await second.store.write([{ put: 'meta', key, record }])
  }
  return second
}

const channel: ChannelRecord = {
  title: 'Bob',
  kind: 'direct',
  address: ADDRESS,
  entry: { id: TOKEN.slice(0, 16), token: TOKEN } as unknown as NonNullable<ChannelRecord['entry']>,
  state: 'open',
  lastText: '',
  lastAtMs: 0,
  lastState: 'none',
  theirs: 0,
}

function line(order: number, author: Uint8Array, own: Uint8Array, text = `text ${order}`): LineRecord {
  const messageId = new Uint8Array(16).fill(order & 0xff) as MessageId
  messageId[15] = order >> 8
  const mine = author === own
  return {
    messageId,
    author: author as AccountId,
    atMs: order,
    mine,
    theirs: 0,
    kind: 'text',
    text,
    state: 'delivered',
  }
}

/** A conversation of `count` lines, the older half of it in blocks, and a note. */
async function fill({ store }: Device, bob: AccountRecord, count = 600): Promise<void> {
  const own = (await readAccount(store))?.account ?? new Uint8Array()
  const draft = new Draft(store)
  draft.put('channels', 'local', channel)
  draft.put('syncs', 'local', { address: ADDRESS, token: TOKEN } as unknown as SyncRecord)
  draft.put('contacts', 'c1', { account: bob.account, name: 'Bob', manifest: bob.manifest, sequence: 1 })
  draft.put('settings', 'settings', {
    language: 'es',
    theme: 'dark',
    density: 'compact',
    enterSends: false,
    cover: 'off',
  })
  const author = (order: number) => (order % 3 === 0 ? own : bob.account)
  const all = Array.from({ length: count }, (_, i) => ({ order: i + 1, line: line(i + 1, author(i + 1), own) }))
  await putHistory(draft, 'local', all.slice(0, count / 2))
  for (const { order, line } of all.slice(count / 2)) draft.put('lines', ['local', order], line)
  draft.put('lines', ['local', 2 ** 45], { ...line(77, own, own, 'not sent yet'), state: 'waiting' } as LineRecord)
  draft.put('lines', ['local', count + 1], {
    ...line(count + 1, bob.account, own),
    kind: 'unreadable',
    cause: 'x',
  } as unknown as LineRecord)
  draft.put('channels', NOTES, notesChannel(own as AccountId, 0))
  draft.put('lines', [NOTES, 2 ** 50], { ...line(9_999, own, own, 'a note'), state: 'waiting' } as LineRecord)
  await draft.commit()
}

async function exported(device: Device): Promise<string[]> {
  const lines: string[] = []
  for await (const one of readArchive(device.store, device.deps.dice, () => {})) lines.push(one)
  return lines
}

/** A face and an engine on one disk; `dies` makes the engine refuse from that batch on. */
function deskOf({ deps, store }: Device, dies = { atBatch: Number.POSITIVE_INFINITY }) {
  const batches: number[] = []
  const bridge = {
    request: async (name: string, args: never) => {
      if (name !== 'importBatch') throw new WireError('test/name')
      if (batches.length + 1 >= dies.atBatch) throw new WireError('test/dead')
      const batch = args as Parameters<typeof importBatch>[2]
      batches.push(batch.lines.length)
      await importBatch(deps, hands, batch)
      return null
    },
  } as unknown as Bridge
  const told: number[] = []
  const desk: ArchiveDesk = new ArchiveDesk({ store, bridge, dice: deps.dice, archiveSeal: plainSeal }, () => {
    const [work] = desk.works()
    if (work !== undefined) told.push(work.done)
  })
  return { desk, batches, told }
}

const fileOf = (lines: readonly string[]) => new Blob([`${lines.join('\n')}\n`])
async function texts(store: Store, channelId: string): Promise<string[]> {
  const { lines } = await linePage(store, channelId, { limit: 10_000 })
  return lines.flatMap((one) => (one.kind === 'text' ? [one.text] : []))
}
const rowsOf = async (store: PlainStore) =>
  JSON.stringify(
    await Promise.all(
      (['channels', 'blocks', 'blockIds', 'lines', 'lineIds', 'contacts'] as const).map((t) => store.list(t)),
    ),
  )

describe('an archive', () => {
  let ann: Device
  let bob: AccountRecord
  let lines: string[]
  beforeEach(async () => {
    ann = await makeDevice(1)
    bob = (await readAccount((await makeDevice(2, 'Bob')).store)) as AccountRecord
    await fill(ann, bob)
    lines = await exported(ann)
  })

  it('[L-03] holds everything that can be read, in order, and says when it is whole', () => {
    const said = lines.map((one) => JSON.parse(one))
    expect(said[0]).toMatchObject({ stave: 'archive', version: 1 })
    const texts = said.filter((one) => one.type === 'line' && one.in === toBase64url(ADDRESS)).map((one) => one.text)
    expect(texts).toEqual([...Array.from({ length: 600 }, (_, i) => `text ${i + 1}`), 'not sent yet'])
    expect(said.filter((one) => one.text === 'a note')).toHaveLength(1)
    expect(said.filter((one) => one.type === 'contact')).toMatchObject([{ name: 'Bob' }])
    expect(said.find((one) => one.type === 'settings')).toMatchObject({ values: { language: 'es' } })
    expect(said.at(-1)).toEqual({ type: 'end', lines: 602 })
  })

  it('[I-07] has no key, token or secret in it', async () => {
    const whole = lines.join('\n')
    const account = (await readAccount(ann.store)) as AccountRecord
    const { ring } = await readKeyRing(ann.store)
    const phrase = await ann.store.get('meta', 'phrase')
    const secrets = [TOKEN, account.rootSeed, phrase?.kind === 'phrase' ? phrase.entropy : undefined]
    secrets.push(ring.logAddressSecret)
    for (const { logKey, logToken, hpkeSeed } of ring.generations) secrets.push(logKey, logToken, hpkeSeed)
    expect(secrets).not.toContain(undefined)
    for (const secret of secrets) {
      // The last character of base64url depends on what follows.
      expect(whole.includes(toBase64url(secret ?? new Uint8Array()).slice(0, 42))).toBe(false)
      expect(whole.includes(toHex(secret ?? new Uint8Array()))).toBe(false)
    }
    const fields = new Set(lines.flatMap((one) => Object.keys(JSON.parse(one))))
    const allowed =
      'stave version id account proof type name manifest values key kind title in order author atMs text state lines'
    expect([...fields].filter((name) => !allowed.split(' ').includes(name))).toEqual([])
  })

  it('[L-03] comes into the same conversation on another device, as history; twice changes nothing', async () => {
    const other = await secondDevice(ann, 3)
    await other.store.write([{ put: 'channels', key: 'here', record: { ...channel, state: 'returning' } }])
    const { desk, told } = deskOf(other)
    await desk.import(fileOf(lines), '')
    expect(await texts(other.store, 'here')).toEqual(Array.from({ length: 600 }, (_, i) => `text ${i + 1}`))
    expect(await texts(other.store, NOTES)).toEqual(['a note'])
    expect((await other.store.list('channels')).map((row) => [row.key, row.record.state, row.record.theirs])).toEqual([
      ['here', 'returning', 0],
      [NOTES, 'open', 0],
    ])
    expect((await other.store.list('contacts')).map((row) => row.record.name)).toEqual(['Bob'])
    expect(await other.store.get('settings', 'settings')).toMatchObject({ language: 'es' })
    expect(
      [...told].sort((a, b) => a - b),
      'progress goes up',
    ).toEqual(told)
    expect(await other.store.get('meta', 'import'), 'nothing is left to do').toBeUndefined()
    for (const table of ['syncs', 'epochs', 'ratchets', 'nodes', 'pendings', 'outbox', 'intents'] as const) {
      expect(await other.store.list(table), `[I-07] ${table}`).toEqual([])
    }
    const before = await rowsOf(other.store)
    await desk.import(fileOf(lines), '')
    expect(await rowsOf(other.store)).toBe(before)
  })

  it('[L-03] what was deleted here stays deleted', async () => {
    const other = await secondDevice(ann, 3)
    await other.store.write([{ put: 'channels', key: 'here', record: channel }])
    const id = toBase64url(line(7, bob.account, bob.account).messageId)
    const forgotten = { stamp: 1, by: new Uint8Array(16) as DeviceId, hash: new Uint8Array(), position: 1 }
    await other.store.write([{ put: 'logged', key: ['forget here', id], record: forgotten }])
    await deskOf(other).desk.import(fileOf(lines), '')
    const shown = await texts(other.store, 'here')
    expect([shown.length, shown.includes('text 7')]).toEqual([599, false])
  })

  it('[ARC8] [SHR8] what was shared with this account comes back as shared: marked, never shared on, and its author is heard', async () => {
    const [cid, eva] = [new Uint8Array(32).fill(8) as AccountId, new Uint8Array(32).fill(9) as AccountId]
    const own = (await readAccount(ann.store)) as AccountRecord
    const walks = { ...channel, kind: 'group', address: new Uint8Array(32).fill(6) as Address } as const
    const ids = [1, 2].map(() => ann.deps.dice(16) as MessageId)
    const told = ids.map((id, i) => ({ id, author: eva, atMs: 900, order: i + 1, text: `shared ${i + 1}` }))
    const draft = new Draft(ann.store)
    draft.put('channels', 'walks', walks)
    await putShared(ann.deps, draft, 'walks', { by: cid, upTo: 10 }, own.account, told)
    await draft.commit()

    const other = await secondDevice(ann, 3)
    await other.store.write([{ put: 'channels', key: 'here', record: walks }])
    await deskOf(other).desk.import(fileOf(await exported(ann)), '')
    const { lines: page } = await linePage(other.store, 'here', { limit: 10 })
    expect(page.map((one) => one.kind === 'text' && [one.text, one.sharedBy?.id])).toEqual([
      ['shared 1', toBase64url(cid)],
      ['shared 2', toBase64url(cid)],
    ])
    expect(await countEarlier(other.store, 'here', 100, [0])).toEqual([0])
    expect((await other.store.get('channels', 'here'))?.lastText, 'not what the list shows').toBe('')

    const coming = new Draft(other.store)
    const applying = { deps: other.deps, draft: coming, own: { account: own } } as unknown as Applying
    const said = { kind: 'line', at: 1, channel: walks.address, author: eva, atMs: 900, text: 'by Eva' } as const
    await applyLines(
      applying,
      'here',
      ids.slice(0, 1).map((messageId) => ({ ...said, order: 1, messageId })),
    )
    await coming.commit()
    expect(await texts(other.store, 'here')).toEqual(['by Eva', 'shared 2'])
  })

  it('[ARC8] [FRK5] what stood aside after a repair comes back aside: not shared on, until its author says it again', async () => {
    const eva = new Uint8Array(32).fill(9) as AccountId
    const walks = { ...channel, kind: 'group', address: new Uint8Array(32).fill(6) as Address } as const
    const own = (await readAccount(ann.store)) as AccountRecord
    const lines = [1, 2, 3].map((order) => line(order, eva, own.account))
    const draft = new Draft(ann.store)
    draft.put('channels', 'walks', walks)
    for (const [i, one] of lines.entries()) {
      draft.put('lines', ['walks', i + 1], i === 0 ? one : ({ ...one, aside: true } as LineRecord))
    }
    await draft.commit()

    const other = await secondDevice(ann, 3)
    await other.store.write([{ put: 'channels', key: 'here', record: walks }])
    await deskOf(other).desk.import(fileOf(await exported(ann)), '')
    const asides = async () => {
      const { lines: page } = await linePage(other.store, 'here', { limit: 10 })
      return page.flatMap((one) => (one.kind === 'text' && one.aside ? [one.text] : []))
    }
    expect(await asides()).toEqual(['text 2', 'text 3'])
    expect(await countEarlier(other.store, 'here', 100, [0])).toEqual([1])

    const said = lines[1]?.messageId as MessageId
    const coming = new Draft(other.store)
    const bobs = { account: bob.account, messageId: lines[2]?.messageId as MessageId, order: 8 }
    await takeBackIn(coming, 'here', bobs) // nobody speaks for another
    await takeBackIn(coming, 'here', { account: eva, messageId: said, order: 7 })
    await coming.commit()
    expect(await asides()).toEqual(['text 3'])
    expect(await texts(other.store, 'here')).toEqual(['text 1', 'text 3', 'text 2'])
    expect(await countEarlier(other.store, 'here', 100, [0])).toEqual([2])
  })

  it('[L-03] goes on where it was interrupted', async () => {
    const other = await secondDevice(ann, 3)
    const { desk } = deskOf(other, { atBatch: 3 })
    await expect(desk.import(fileOf(lines), '')).rejects.toMatchObject({ code: 'test/dead' })
    expect(desk.works()).toEqual([])
    const again = deskOf(other)
    await again.desk.import(fileOf(lines), '')
    expect(again.batches.reduce((sum, n) => sum + n, 0)).toBe(lines.length - 1 - 400)
    const [, archived] = await other.store.list('channels')
    const id = String((await other.store.list('channels')).find((row) => row.key !== NOTES)?.key)
    expect(archived).toBeDefined()
    expect(await texts(other.store, id)).toHaveLength(600)
  })

  it('[U-06] stops when it is cancelled, and keeps what was read in', async () => {
    const other = await secondDevice(ann, 3)
    const { desk, batches } = deskOf(other)
    const importing = desk.import(fileOf(lines), '')
    while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
    desk.cancel('import')
    await expect(importing).rejects.toMatchObject({ code: 'archive/cancelled' })
    expect(batches.length).toBeLessThan(4)
    expect((await other.store.list('blocks')).length).toBeGreaterThan(0)

    const out = deskOf(ann).desk
    const reader = (await out.export('')).getReader()
    await reader.read()
    out.cancel('export')
    await expect(reader.read()).rejects.toMatchObject({ code: 'archive/cancelled' })
  })

  it('[L-03] a file that breaks off is said to, after what it has was read in', async () => {
    const other = await secondDevice(ann, 3)
    await expect(deskOf(other).desk.import(fileOf(lines.slice(0, 300)), '')).rejects.toMatchObject({
      code: 'archive/damaged',
    })
    expect((await other.store.list('blocks')).length).toBeGreaterThan(0)
  })

  it('[K-12] what another account exported, or somebody made up, never comes into a conversation of ours', async () => {
    const mallory = await makeDevice(4, 'Mallory')
    await fill(mallory, bob, 20)
    // At places that are free in ours, under ids that are not known there.
    const forged = (await exported(mallory)).map((one) => {
      const said = JSON.parse(one)
      if (said.type !== 'line') return one
      const id = toBase64url(new Uint8Array(16).fill(200))
      return JSON.stringify({ ...said, order: said.order + 10_000, id, text: 'forged' })
    })
    const own = (await readAccount(ann.store)) as AccountRecord
    // Her proof under our name: made with a key that is not ours.
    const head = { ...JSON.parse(forged[0] ?? ''), account: toBase64url(own.account) }
    const before = await texts(ann.store, 'local')
    const contacts = await ann.store.list('contacts')
    for (const first of [forged[0] ?? '', JSON.stringify(head)]) {
      await deskOf(ann).desk.import(fileOf([first, ...forged.slice(1)]), '')
    }
    expect(await texts(ann.store, 'local')).toEqual(before)
    const added = (await ann.store.list('channels')).filter((row) => row.key !== 'local' && row.key !== NOTES)
    expect(added.length).toBeGreaterThan(0)
    for (const { record } of added) {
      expect(record).toMatchObject({ state: 'paused', pausedBy: 'removed' })
      expect([record.address, record.entry], 'told to no log, and no way in').toEqual([undefined, undefined])
    }
    const known = (await ann.store.list('contacts')).filter(({ record }) => record.name === 'Bob')
    expect(known).toEqual(contacts)
    expect(await ann.store.get('settings', 'settings')).toMatchObject({ language: 'es' })
  })

  it('[L-03] an identity that was lost is shown again: its own words as its own, nothing to be sent', async () => {
    const later = await makeDevice(5, 'Ann again')
    await deskOf(later).desk.import(fileOf(lines), '')
    const rows = await later.store.list('channels')
    const id = String(rows.find(({ record }) => record.title === 'Bob')?.key)
    const { lines: page } = await linePage(later.store, id, { limit: 3 })
    expect(page.map((one) => one.author.mine)).toEqual([false, false, true])
    expect((await later.store.list('contacts')).map(({ record }) => record.name).sort()).toEqual(['Ann', 'Bob'])
  })

  it('[R-06] refuses a line without end and lines that are none', async () => {
    const other = await secondDevice(ann, 3)
    const endless = new Blob([lines[0] ?? '', '\n', 'x'.repeat(600 * 1024)])
    await expect(deskOf(other).desk.import(endless, '')).rejects.toMatchObject({ code: 'archive/line' })
    for (const bad of ['{"type":"line"}', '[]', '{', '{"type":"channel","key":"k","kind":"moon","title":""}']) {
      await expect(deskOf(other).desk.import(fileOf([lines[0] ?? '', bad]), '')).rejects.toMatchObject({
        code: 'archive/line',
      })
    }
    await expect(deskOf(other).desk.import(fileOf(['{"type":"line"}']), '')).rejects.toMatchObject({
      code: 'archive/not-one',
    })
    await expect(
      deskOf(other).desk.import(fileOf([(lines[0] ?? '').replace('"version":1', '"version":2')]), ''),
    ).rejects.toMatchObject({ code: 'archive/newer' })
    expect(await other.store.list('blocks')).toEqual([])
  })

  it('[L-03] reads from the store only as fast as the file is written', async () => {
    let reads = 0
    const { store, deps } = ann
    const counting = {
      get: store.get.bind(store),
      list: (...args: Parameters<Store['list']>) => {
        reads++
        return store.list(...args)
      },
    }
    const desk = new ArchiveDesk(
      { store: counting as unknown as Store, bridge: {} as Bridge, dice: deps.dice, archiveSeal: plainSeal },
      () => {},
    )
    const reader = (await desk.export('')).getReader()
    expect(reads).toBe(0)
    const first = await reader.read()
    expect(fromUtf8(first.value ?? toUtf8(''))).toContain('"stave":"archive"')
    const afterOne = reads
    await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toBe(afterOne)
    await reader.cancel()
    expect(desk.works()).toEqual([])
  })

  it('[I-10] whatever a line says, it is one, is passed over, or is refused with a name', () => {
    const kinds = fc.constantFrom('profile', 'contact', 'settings', 'channel', 'line', 'end', 'other', 7)
    const fields = fc.dictionary(
      fc.constantFrom(
        'account',
        'name',
        'manifest',
        'values',
        'key',
        'kind',
        'title',
        'in',
        'order',
        'id',
        'text',
        'state',
      ),
      fc.oneof(fc.string(), fc.double(), fc.jsonValue(), fc.constant(toBase64url(ADDRESS))),
    )
    const lines = fc.oneof(
      fc.string(),
      fc.json(),
      fc.tuple(kinds, fields).map(([type, more]) => JSON.stringify({ type, ...more })),
    )
    fc.assert(
      fc.property(lines, (text) => {
        for (const decode of [decodeLine, decodeHead]) {
          try {
            decode(text)
          } catch (error) {
            expect(error).toBeInstanceOf(WireError)
          }
        }
      }),
      { seed: 1, numRuns: 2_000 },
    )
  })
})
