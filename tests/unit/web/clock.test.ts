import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#web/clock.ts'

const DAY_MS = 86_400_000

describe('[C-08] the clock of a browser', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('waits for what is further away than a timer can count, and not a moment less', () => {
    let ran = 0
    systemClock.after(44 * DAY_MS, () => ran++)
    vi.advanceTimersByTime(44 * DAY_MS - 1)
    expect(ran).toBe(0)
    vi.advanceTimersByTime(1)
    expect(ran).toBe(1)
    vi.advanceTimersByTime(100 * DAY_MS)
    expect(ran).toBe(1)
  })

  it('gives no timer of the platform more than 32 bits, and calls off what waits behind one', () => {
    const set = vi.spyOn(globalThis, 'setTimeout')
    const stop = systemClock.after(100 * DAY_MS, () => expect.unreachable())
    vi.advanceTimersByTime(30 * DAY_MS)
    stop()
    vi.advanceTimersByTime(100 * DAY_MS)
    expect(Math.max(...set.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31)
    expect(set).toHaveBeenCalledTimes(2)
  })
})
