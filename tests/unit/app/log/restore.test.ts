import { beforeEach, describe, expect, it } from 'vitest'
import { readRestore } from '#app/log/restore-work.ts'
import { LOG, LogDevice, line, linesIn, tell } from '../../../support/log-device.ts'
import { MemoryLog } from '../../../support/memory-log.ts'

const LINES = 110
const LARGE = 64 * 1024 - 100 // of what still has to vanish, a page carries on eight

let log: MemoryLog
let other: LogDevice
let fresh: LogDevice
beforeEach(async () => {
  log = new MemoryLog(LOG)
  const now = () => 1_000
  other = await LogDevice.make(log, 7, now)
  fresh = await LogDevice.make(log, 8, now)
  for (const n of range(1, LINES)) await tell(log, line(n))
  await fresh.begin()
  await fresh.readOn()
  await other.pull()
})

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

async function pageInPlaceOfMost(): Promise<void> {
  await other.compact()
  expect(log.rows.length).toBeLessThan(20)
  expect(await linesIn(log)).toEqual(range(1, LINES))
}

describe('a log that gets a page while a device reads back in it', () => {
  it('[LGE4] [LGC7] misses nothing where the page takes what was not read yet', async () => {
    await pageInPlaceOfMost()
    await fresh.pull()
    expect(await fresh.readAll()).toBe(true)
    expect(await fresh.lines()).toEqual(range(1, LINES))
  })

  it('[LGE4] [LGC7] nor where the device comes to what is gone before it has heard of the page', async () => {
    await pageInPlaceOfMost()
    expect(await fresh.readOn()).toBe('behind')
    expect(await readRestore(fresh.store)).not.toHaveProperty('missing')
    expect(await fresh.readAll()).toBe(true)
    expect(await fresh.lines()).toEqual(range(1, LINES))
  })

  it('[LGE4] [LGC7] nor where the page stands for a part further back', async () => {
    const yearly = { vanishesAtMs: 366 * 86_400_000 }
    for (const n of range(LINES + 1, LINES + 30)) await tell(log, line(n, yearly, LARGE))
    await fresh.begin()
    await fresh.readOn()
    await other.pull()
    await other.compact()
    await fresh.pull()
    const { before = 0, covers = [] } = (await readRestore(fresh.store)) ?? {}
    expect(covers.map(({ to }) => to < before - 1)).toEqual([true])
    expect(await fresh.readAll()).toBe(true)
    expect(await fresh.lines()).toEqual(range(1, LINES + 30))
  })

  it('[LGC7] [LGC9] nor where it makes the page itself: what it has not read comes back with the next pull', async () => {
    for (const n of range(LINES + 1, LINES + 100)) await tell(log, line(n))
    await fresh.pull()
    await fresh.compact()
    expect(log.rows.length).toBeLessThan(20)
    expect(await fresh.readAll()).toBe(true)
    expect(await fresh.lines()).toEqual(range(1, LINES + 100))
  })

  it('[LGC7] [U-06] has nothing left to read where it was stopped and a page brings all of it', async () => {
    await fresh.stop()
    await pageInPlaceOfMost()
    await fresh.pull()
    expect(await readRestore(fresh.store)).toBe(undefined)
    expect(await fresh.lines()).toEqual(range(1, LINES))
  })

  it('[LGC7] is named as missing where the relay has taken rows away and no page stands for them', async () => {
    log.rows = log.rows.filter(({ position }) => position !== 40)
    expect(await fresh.readAll()).toBe(false)
    expect(await fresh.lines()).toEqual(range(1, LINES).filter((n) => n !== 40))
  })
})
