import { describe, expect, it } from 'vitest'
import type { ArgsOf } from '#core/wire/operations.ts'
import { meet, say, textsOf } from '../../support/sim/meet.ts'

const SIDES = ['before', 'after'] as const
const WRITES = 20

describe('a device that receives', () => {
  it('[I-05] [M-10] crashes at each of its writes, to the acknowledgement: nothing is lost, nothing is there twice', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(51)
    const written: string[] = []
    let deepest = 0
    for (let at = 1; at <= WRITES && deepest === at - 1; at++) {
      for (const side of SIDES) {
        const before = bea.crashes
        bea.crashAt(at, side)
        written.push(`${at} ${side}`)
        await say(ann, ofAnn, `${at} ${side}`)
        await world.run(20_000)
        if (bea.crashes > before) deepest = at
      }
      bea.crashAt(0, 'before')
    }
    expect(deepest).toBeGreaterThanOrEqual(5) // applied, receipt queued, sealed, settled, acknowledged
    expect(await textsOf(bea, ofBea)).toEqual(written)
    const states = (await ann.lines(ofAnn)).map((line) => line.kind === 'text' && line.state)
    expect(new Set(states)).toEqual(new Set(['delivered']))
  })

  it('[I-05] acknowledges no position that is not on its disk', async () => {
    const { world, ann, bea, ofAnn } = await meet(52)
    const early: number[] = []
    let acknowledged = 0
    world.onRequest((device, operation, args) => {
      if (device !== bea || operation !== 'channel.ack') return
      const { upTo } = args as ArgsOf<'channel.ack'>
      acknowledged = upTo
      const stored = bea.store().list('syncs')
      void stored.then(([row]) => (row?.record.cursor ?? 0) < upTo && early.push(upTo))
    })
    for (let i = 0; i < 5; i++) {
      await say(ann, ofAnn, `message ${i}`)
      bea.crashAt(1 + (i % 3), i % 2 === 0 ? 'before' : 'after')
      await world.run(10_000)
    }
    expect(bea.crashes).toBeGreaterThan(2)
    expect(acknowledged).toBeGreaterThan(5)
    expect(early).toEqual([])
  })
})
