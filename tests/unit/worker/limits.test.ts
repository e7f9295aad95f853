import { describe, expect, it } from 'vitest'
import { refuse } from '../../../worker/answer.ts'
import { fits } from '../../../worker/rules/quota.ts'
import { costOf, costOfAnswer, costOfOperation, drain, fullBucket, waitMsOf } from '../../../worker/rules/rate.ts'

describe('quota', () => {
  it('[R-02] counts and bytes are both bounded, the limit itself included', () => {
    const most = { count: 10, bytes: 1000 }
    expect(fits({ count: 9, bytes: 900 }, { count: 1, bytes: 100 }, most)).toBe(true)
    expect(fits({ count: 10, bytes: 0 }, { count: 1, bytes: 0 }, most)).toBe(false)
    expect(fits({ count: 0, bytes: 901 }, { count: 1, bytes: 100 }, most)).toBe(false)
  })
})

describe('rate', () => {
  const flow = { burst: 10, perSecond: 100 }

  it('[R-02] lets a burst through, then as much as flows in', () => {
    let bucket = fullBucket(flow, 0)
    for (let i = 0; i < 10; i++) {
      bucket = drain(bucket, flow, 1, 0)
      expect(waitMsOf(bucket, flow)).toBe(0)
    }
    expect(waitMsOf(drain(bucket, flow, 1, 0), flow)).toBe(10)
    expect(waitMsOf(drain(bucket, flow, 1, 10), flow)).toBe(0)
  })

  it('never holds more than its burst, and a clock that goes back gives nothing', () => {
    const rested = drain(fullBucket(flow, 0), flow, 0, 1_000_000)
    expect(rested.level).toBe(10)
    expect(drain(rested, flow, 4, 500_000).level).toBe(6)
  })

  it('large answers cost more: who does not read must not fill our memory', () => {
    expect(costOf(256)).toBe(1)
    expect(costOf(1024 * 1024)).toBe(65)
  })

  it('making something new costs more than using it', () => {
    expect(costOfOperation('channel.open')).toBeGreaterThan(costOfOperation('channel.post'))
    expect(costOfOperation('channel.stash')).toBe(costOfOperation('channel.open'))
  })

  it('[CHN1] so does asking where nothing is; an answer, or another refusal, costs no more than its bytes', () => {
    const making = costOfOperation('channel.open')
    expect(costOfAnswer('account.get', { reply: {} })).toBe(making)
    expect(costOfAnswer('packages.count', { reply: { left: 0, lastResort: false } })).toBe(making)
    expect(costOfAnswer('packages.count', { reply: { left: 0, lastResort: true } })).toBe(0)
    expect(costOfAnswer('account.get', { reply: { manifest: new Uint8Array(3) } })).toBe(0)
    expect(costOfAnswer('channel.ack', { reply: {} })).toBe(0)
    expect(costOfAnswer('channel.fetch', refuse('channel/unknown'))).toBe(making)
    expect(costOfAnswer('channel.fetch', refuse('seat/refused'))).toBe(0)
  })
})
