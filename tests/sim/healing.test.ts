import { describe, expect, it } from 'vitest'
import { deviceSigner } from '#app/account/device-signer.ts'
import { readDevice } from '#app/account/read-account.ts'
import type { RowKey } from '#app/ports/store.ts'
import { decodeGroup, type GroupRow, pastUntilMs } from '#core/mls/index.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const syncOf = (device: SimDevice, id: string) => device.store().get('syncs', id)

describe('[C-08] keys are renewed', () => {
  it('[HEAL1] [HEAL2] by each device about once a week, by two of them never within an hour', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(311)
    const commits: { readonly by: string; readonly atMs: number }[] = []
    world.onRequest((device, operation) => {
      if (operation === 'channel.commit') commits.push({ by: device.name, atMs: world.timeline.nowMs })
    })
    const startMs = world.timeline.nowMs
    for (let day = 0; day < 29; day++) await world.run(DAY_MS)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      const own = commits.filter(({ by }) => by === device.name)
      expect(own.length, device.name).toBeGreaterThanOrEqual(3)
      expect(own.length, device.name).toBeLessThanOrEqual(5)
      const times = [startMs, ...own.map(({ atMs }) => atMs)]
      for (const [i, atMs] of times.slice(1).entries()) {
        expect(atMs - (times[i] ?? 0), device.name).toBeGreaterThan(5 * DAY_MS)
        expect(atMs - (times[i] ?? 0), device.name).toBeLessThan(8 * DAY_MS + 4 * HOUR_MS)
      }
      expect((await syncOf(device, id))?.healedAtMs).toBeGreaterThanOrEqual(own.at(-1)?.atMs ?? 0)
      const [health] = await device.face().keyHealth()
      expect(health?.nextHealMs).toBeGreaterThan(world.timeline.nowMs)
    }
    const gaps = commits.slice(1).map(({ atMs }, i) => atMs - (commits[i]?.atMs ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(HOUR_MS)
    await say(ann, ofAnn, 'still here')
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toEqual(['still here'])
  })

  it('[HEAL2] waits when somebody has just committed', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(312)
    const dueMs = (await syncOf(ann, ofAnn))?.nextHealMs ?? 0
    await world.run(dueMs - world.timeline.nowMs - 30 * 60_000)
    await world.until(bea.request('heal', { channelId: ofBea }))
    await world.run(31 * 60_000)
    const later = await syncOf(ann, ofAnn)
    expect(later?.wanted).toEqual([])
    expect(later?.healedAtMs).toBeLessThan(dueMs)
    expect(later?.nextHealMs).toBeGreaterThan((later?.committedAtMs ?? 0) + HOUR_MS)
    await world.run(3 * HOUR_MS)
    expect((await syncOf(ann, ofAnn))?.healedAtMs).toBeGreaterThan(dueMs)
  })

  it('[HEAL3] on demand, now', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(313)
    const before = await syncOf(bea, ofBea)
    await world.run(HOUR_MS)
    await world.until(ann.face().healChannel(ofAnn))
    await world.run(10_000)
    expect((await syncOf(bea, ofBea))?.lastCommit).toBeGreaterThan(before?.lastCommit ?? 0)
    expect((await syncOf(ann, ofAnn))?.healedAtMs).toBeGreaterThan(world.timeline.nowMs - 11_000)
  })
})

describe('[C-08] [HEAL4] what opens old messages', () => {
  async function epochsOn(device: SimDevice, id: string): Promise<readonly number[]> {
    const numbers = (rows: readonly { readonly key: RowKey }[]) =>
      rows.map(({ key }) => Number((key as readonly [string, number])[1]))
    return numbers(await device.store().list('epochs', { of: id })).filter((at) => at > 0)
  }

  it('is on the disk for eight epochs at most', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(314)
    for (let i = 0; i < 12; i++) {
      await world.until(ann.request('heal', { channelId: ofAnn }))
      await world.run(20_000)
    }
    expect((await epochsOn(bea, ofBea)).length).toBeLessThanOrEqual(9)
    expect((await epochsOn(ann, ofAnn)).length).toBeLessThanOrEqual(9)
  })

  it('goes after fourteen days, though nobody commits and there is no connection: rows and all', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(315)
    await say(ann, ofAnn, 'hello')
    await world.run(20_000)
    for (const device of [ann, bea]) device.goAway()
    const past = await epochsOn(ann, ofAnn)
    expect(past.length).toBeGreaterThan(1)
    for (let day = 0; day < 15; day++) await world.run(DAY_MS)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await epochsOn(device, id), device.name).toEqual([Math.max(...past)])
      const signer = await deviceSigner(device.handles, await readDevice(device.store()))
      const rows = (
        await Promise.all(
          (['nodes', 'epochs', 'ratchets'] as const).map(async (part) =>
            (
              await device.store().list(part, { of: id })
            ).map(
              ({ key, record }): GroupRow => ({
                part,
                at: Number((key as readonly [string, number])[1]),
                bytes: record.bytes,
              }),
            ),
          ),
        )
      ).flat()
      expect(pastUntilMs(decodeGroup(rows, signer)), device.name).toBeUndefined()
      expect((await syncOf(device, id))?.keys, device.name).toHaveLength(1)
    }
  })
})
