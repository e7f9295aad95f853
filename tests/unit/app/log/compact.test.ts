import { beforeEach, describe, expect, it } from 'vitest'
import { LOG, LogDevice, line, linesIn, tell } from '../../../support/log-device.ts'
import { MemoryLog } from '../../../support/memory-log.ts'

const DAY_MS = 86_400_000
const LARGE = 64 * 1024 - 100 // two of them are more than an entry takes

let now: number
let log: MemoryLog
let device: LogDevice
beforeEach(async () => {
  now = 1_000
  log = new MemoryLog(LOG)
  device = await LogDevice.make(log, 7, () => now)
})

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const yearly = (n: number, bytes = 0) => line(n, { vanishesAtMs: now + 366 * DAY_MS }, bytes)

async function compact(): Promise<void> {
  await device.pull()
  await device.compact()
}

async function say(from: number, entries: number, lines: number): Promise<void> {
  for (const i of range(0, entries - 1)) {
    const first = from + i * lines
    await tell(log, ...range(first, first + lines - 1).map((n) => line(n)))
  }
}

describe('a log with much that still has to vanish', () => {
  it('[LGC9] [VAN5] has its pages all the same, however large that is', async () => {
    for (const n of range(1, 9)) await tell(log, yearly(n, LARGE))
    for (const n of range(10, 99)) await tell(log, line(n))
    await compact()
    expect(log.rows.length).toBeLessThan(50)
    expect(device.record.singles).toBeLessThan(50)
    expect(await linesIn(log)).toEqual(range(1, 99))
  })

  it('[LGC9] has them too where there are thousands of small ones, and where they come between all others', async () => {
    for (let n = 1; n <= 5_000; n += 500) await tell(log, ...range(n, n + 499).map((one) => yearly(one)))
    for (const n of range(5_001, 5_100)) await tell(log, n % 2 === 0 ? yearly(n, 4_000) : line(n))
    for (let i = 0; i < 3; i++) await compact()
    expect(log.rows.length).toBeLessThan(60)
    expect(await linesIn(log)).toEqual(range(1, 5_100))
  })

  it('[LGC9] is not read again for each message where no page comes of it', async () => {
    for (const n of range(1, 100)) await tell(log, yearly(n, LARGE))
    await compact()
    const before = log.asked.get('log.back') ?? 0
    for (const n of range(101, 120)) {
      await tell(log, line(n))
      await compact()
    }
    expect(log.asked.get('log.back')).toBe(before)
    expect(await linesIn(log)).toEqual(range(1, 120))
  })

  it('[LOG6] makes room where it is full, of what can be put into a page without carrying anything on', async () => {
    for (const n of range(1, 20)) await tell(log, yearly(n))
    for (const n of range(21, 120)) await tell(log, line(n))
    await device.pull()
    log.fullAt = log.bytes
    await device.makeRoom()
    expect(log.rows.length).toBeLessThan(60)
    expect(await linesIn(log)).toEqual(range(1, 120))
  })
})

describe('what has vanished', () => {
  const week = (n: number) => line(n, { vanishesAtMs: now + 7 * DAY_MS })

  /** A page that is whole, in front of it what still has a week. */
  async function wholePage(): Promise<void> {
    await tell(log, week(1))
    await say(2, 100, 8)
    await compact()
    expect(log.rows.length).toBe(2)
  }

  it('[VAN5] leaves the relay a few days later, also where it lies in front of a page that is whole', async () => {
    await wholePage()
    for (const first of [802, 902]) {
      await say(first, 100, 1)
      for (let i = 0; i < 3; i++) await compact()
    }
    expect(await linesIn(log)).toEqual(range(1, 1_001))
    now += 10 * DAY_MS
    await compact()
    expect(await linesIn(log)).toEqual(range(2, 1_001))
    const fresh = await LogDevice.make(log, 9, () => now)
    expect(await fresh.restore()).toBe(true)
    expect(await fresh.lines()).toEqual(range(2, 1_001))
  })

  it('[VAN5] each leaves in its time, and nothing before', async () => {
    const DAYS = 120
    const start = now
    for (const n of range(1, DAYS)) {
      await tell(log, line(n, { vanishesAtMs: start + n * DAY_MS }))
      if (n % 3 === 0) await tell(log, line(DAYS + n))
    }
    for (const day of range(1, DAYS + 2)) {
      now = start + day * DAY_MS
      for (let i = 0; i < 3; i++) await compact()
      const there = (await linesIn(log)).filter((n) => n <= DAYS)
      expect(there[0] ?? DAYS + 1, `day ${day}`).toBeGreaterThan(day - 2)
      expect(there.filter((n) => n > day)).toEqual(range(day + 1, DAYS))
    }
    expect(log.rows.length).toBeLessThan(80)
  })

  it('[VAN5] leaves it where nothing else came since', async () => {
    await wholePage()
    now += 10 * DAY_MS
    await compact()
    expect(await linesIn(log)).toEqual(range(2, 801))
  })

  it('[VAN5] [K-03] leaves it by a device that came to the log later, and is the only one', async () => {
    await wholePage()
    const fresh = await LogDevice.make(log, 9, () => now)
    await fresh.restore()
    now += 10 * DAY_MS
    await fresh.pull()
    await fresh.compact()
    expect(await linesIn(log)).toEqual(range(2, 801))
  })

  it('[VAN5] [K-03] leaves it by the only device also from what that one has not read, stopped by the person', async () => {
    for (const n of range(1, 150)) await tell(log, n % 30 === 10 ? week(n) : line(n))
    await tell(log, line(151, { vanishesAtMs: now + 40 * DAY_MS }))
    const lasting = range(1, 150).filter((n) => n % 30 !== 10)
    const fresh = await LogDevice.make(log, 9, () => now)
    await fresh.begin()
    await fresh.readOn()
    await fresh.stop()
    for (let day = 0; day < 12; day++) {
      now += DAY_MS
      for (let i = 0; i < 3; i++) {
        await fresh.pull()
        await fresh.compact()
      }
      if (day === 4) expect(await linesIn(log)).toEqual(range(1, 151))
    }
    expect(await linesIn(log)).toEqual([...lasting, 151])
    expect(await fresh.readAll()).toBe(true)
    expect(await fresh.lines()).toEqual([...lasting, 151])
    expect(fresh.record.vanishing?.length).toBe(1)
  })

  it('[VAN5] is looked for once when another device was first, and what still has time stays', async () => {
    await tell(log, week(1), line(2, { vanishesAtMs: now + 30 * DAY_MS }))
    await tell(log, line(3))
    const other = await LogDevice.make(log, 8, () => now)
    await device.pull()
    await other.pull()
    now += 10 * DAY_MS
    await other.compact()
    expect(await linesIn(log)).toEqual([2, 3])
    await compact()
    now += 3 * DAY_MS
    await compact()
    const before = log.asked.get('log.back')
    for (let i = 0; i < 10; i++) {
      now += DAY_MS
      await compact()
    }
    expect(log.asked.get('log.back')).toBe(before)
    now += 10 * DAY_MS
    await compact()
    expect(await linesIn(log)).toEqual([3])
  })
})

describe('pages that stand beside each other', () => {
  it('[LGE4] stand for a gap together, for whoever was away and for whoever reads backwards', async () => {
    await tell(log, line(1))
    const away = await LogDevice.make(log, 8, () => now)
    await away.pull()
    await say(2, 100, 8)
    await say(802, 150, 4)
    for (let i = 0; i < 12; i++) await compact()
    expect(log.rows.length).toBeLessThan(20)
    await away.pull()
    expect(await away.lines()).toEqual(range(1, 1_401))
    const fresh = await LogDevice.make(log, 9, () => now)
    expect(await fresh.restore()).toBe(true)
    expect(await fresh.lines()).toEqual(range(1, 1_401))
  })

  it('[LOG5] [LGC9] no page takes another one away that lies between what it stands for', async () => {
    await say(1, 100, 8) // a page that is whole,
    await say(801, 100, 4) // and what it left
    for (let i = 0; i < 3; i++) await compact()
    for (let i = 0; i < 4; i++) {
      await say(1_201 + i * 100, 100, 1)
      await compact()
    }
    expect(log.rows.length).toBeLessThan(60)
    expect(await linesIn(log)).toEqual(range(1, 1_600))
  })

  it('[LGC9] full entries, of an archive that was read in, stay as they are and stop no page of the others', async () => {
    for (let n = 1; n <= 5_120; n += 512) await tell(log, ...range(n, n + 511).map((one) => line(one)))
    for (const n of range(5_121, 5_210)) await tell(log, line(n))
    await compact()
    expect(log.rows.length).toBeLessThan(20)
    expect(await linesIn(log)).toEqual(range(1, 5_210))
  })
})
