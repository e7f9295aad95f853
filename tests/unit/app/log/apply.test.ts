import { describe, expect, it } from 'vitest'
import type { Deps } from '#app/deps.ts'
import { linePage } from '#app/face/line-page.ts'
import { applyDeltas } from '#app/log/apply-deltas.ts'
import { listLoggedDevices } from '#app/log/devices.ts'
import { notesChannel } from '#app/log/notes.ts'
import type { OwnLog } from '#app/log/own-log.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { Dated, Delta } from '#core/log/delta.ts'
import type { AccountId, Address, DeviceId, EntryId, MessageId, Token } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const fill = (length: number, n: number) => new Uint8Array(length).fill(n)
const own = fill(32, 1) as AccountId
const friend = fill(32, 2) as AccountId
const channels = [fill(32, 11), fill(32, 12)] as Address[]
const by = [fill(16, 21), fill(16, 22)] as DeviceId[]
const hands = { turn: <T>(_: string, task: () => Promise<T>) => task() }

async function device() {
  const store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([{ put: 'channels', key: 'notes', record: notesChannel(own, 0) }])
  const deps = { store, clock: { now: () => 0, after: () => () => {} }, dice: new Seeded(1).dice } as unknown as Deps
  const log = { account: { account: own }, device: { deviceId: fill(16, 29) }, record: { lastStamp: 0 } }
  let position = 0
  const apply = (dated: readonly Dated[]) =>
    applyDeltas(deps, hands, log as unknown as OwnLog, { position: ++position }, dated, () => {})
  return { store, apply }
}

/** What a person sees of it. */
async function shown(store: PlainStore) {
  const rows = (await store.list('channels')).filter(({ record }) => record.kind !== 'notes')
  const named = rows.map(async ({ key, record }) => {
    const { lines } = await linePage(store, String(key), { limit: 1_000 })
    const read = await store.get('reads', key)
    const { title, kind, entry, state } = record // not how far: a line that was taken back in the same entry says nothing
    return [toHex(record.address ?? fill(1, 0)), { title, kind, entry, state, read: read?.order, lines }] as const
  })
  const devices = (await listLoggedDevices(store)).map(({ name, seenDay }) => `${name} ${seenDay}`).sort()
  return {
    channels: Object.fromEntries(await Promise.all(named)),
    settings: await store.get('settings', 'settings'),
    devices,
  }
}

function anything(random: Seeded, n: number): Dated {
  const channel = random.pick(channels)
  const at = 1 + random.below(200)
  const order = 1 + random.below(40)
  const messageId = new Seeded(order + (channel[0] ?? 0) * 100).dice(16) as MessageId
  const mine = order % 2 === 0
  const kinds: readonly (() => Delta)[] = [
    () => {
      const line = { kind: 'line', at, channel, order, messageId, author: mine ? own : friend, atMs: order } as const
      const state = random.pick(['sent', 'delivered'] as const)
      return { ...line, text: `line ${order}`, ...(mine ? { state } : {}) }
    },
    () => ({ kind: 'forget', at, channel, messageId }),
    () => ({
      kind: 'channel',
      at: n * 2,
      address: channel,
      channel: 'group',
      title: `title ${n}`,
      upTo: order,
      entry: { id: fill(16, channel[0] ?? 0) as EntryId, token: fill(32, n) as Token },
    }),
    () => ({ kind: 'read', at: n * 2, channel, order, theirs: 0 }),
    () => ({
      kind: 'settings',
      at: n * 2,
      values: { theme: random.pick(['dark', 'light']), cover: 'off', unknown: n },
    }),
    () => ({ kind: 'device', at: n * 2, deviceId: random.pick(by), name: `name ${n}`, device: 'web', seenDay: n }),
  ]
  const make = random.chance(0.7) ? kinds[0] : random.pick(kinds)
  if (make === undefined) throw new Error('nothing')
  return { by: random.pick(by), delta: make() }
}

describe('applying what the log says', () => {
  it('[L-01] [MRG1] ends the same in any order, in any entries, however often each comes', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = new Seeded(seed)
      const all = Array.from({ length: 120 }, (_, n) => anything(random, n))
      const results: unknown[] = []
      for (let run = 0; run < 3; run++) {
        const { store, apply } = await device()
        const left = run === 0 ? [...all] : [...all, ...all.slice(0, 40)].sort(() => random.below(3) - 1)
        while (left.length > 0) await apply(left.splice(0, 1 + random.below(run === 0 ? 200 : 12)))
        results.push(await shown(store))
      }
      expect(results[1], `seed ${seed}`).toEqual(results[0])
      expect(results[2], `seed ${seed}`).toEqual(results[0])
    }
  })

  it('[L-01] a line of another device of the account is its own, and no line of history is unread', async () => {
    const { store, apply } = await device()
    const [channel] = channels
    if (channel === undefined) throw new Error('no channel')
    const line = (order: number, author: AccountId): Dated => {
      const messageId = new Seeded(order).dice(16) as MessageId
      const delta = {
        kind: 'line',
        at: order,
        channel,
        order,
        messageId,
        author,
        atMs: order,
        text: `${order}`,
      } as const
      return { by: by[0] ?? (fill(16, 0) as DeviceId), delta }
    }
    await apply([line(1, own), line(2, friend)])
    const [row] = (await store.list('channels')).filter(({ record }) => record.kind !== 'notes')
    const { lines } = await linePage(store, String(row?.key), { limit: 10 })
    expect(lines.map(({ author, kind }) => [author.mine, kind])).toEqual([
      [true, 'text'],
      [false, 'text'],
    ])
    expect(row?.record).toMatchObject({ theirs: 0, logged: 2, lastText: '2', lastState: 'theirs' })
  })
})
