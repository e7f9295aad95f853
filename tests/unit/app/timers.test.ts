import { beforeEach, describe, expect, it } from 'vitest'
import { Timers } from '#app/timers.ts'
import { Timeline } from '../../support/sim/timeline.ts'

let timeline: Timeline
let timers: Timers
beforeEach(() => {
  timeline = new Timeline(0)
  timers = new Timers(timeline.clock(() => false))
})

describe('named timers', () => {
  it('are set once for a name; a time that is past is now', () => {
    const fired: string[] = []
    timers.set('a', 100, () => fired.push('first'))
    timers.set('a', 10, () => fired.push('second'))
    timers.set('b', -5, () => fired.push('past'))
    timeline.step()
    timeline.step()
    expect([fired, timeline.nowMs, timeline.nextMs]).toEqual([['past', 'first'], 100, undefined])
  })

  it('retries of one name wait twice as long each time, to a minute; a success begins anew', () => {
    const waits: number[] = []
    const fail = (atLeastMs = 0): void => {
      const before = timeline.nowMs
      timers.retry('x', atLeastMs, () => waits.push(timeline.nowMs - before))
      timeline.step()
    }
    for (let i = 0; i < 8; i++) fail()
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000))
    timers.succeeded('x')
    fail()
    fail(90_000) // the relay said when
    expect(waits.slice(8)).toEqual([1_000, 90_000])
  })

  it('nothing happens after they were cleared', () => {
    timers.set('a', 1, () => expect.unreachable())
    timers.clear()
    expect(timeline.nextMs).toBeUndefined()
  })
})
