import { expect, it } from 'vitest'
import type { Deps } from '#app/deps.ts'
import { type ChannelHands, ChannelRunner } from '#app/engine/channel-runner.ts'
import type { AccountRecord, ChannelRecord } from '#app/ports/records.ts'
import { Timers } from '#app/timers.ts'
import type { MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'
import { Timeline } from '../../../support/sim/timeline.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

it('[M-04] looks at what vanishes in a week once in six hours, however often its channel is driven', async () => {
  const store = new PlainStore(new MemoryRows())
  await store.takeOver()
  const messageId = new Uint8Array(16) as MessageId
  await store.write([
    { put: 'meta', key: 'account', record: { kind: 'account', sequence: 1 } as AccountRecord },
    { put: 'channels', key: 'c', record: { kind: 'group', state: 'open', theirs: 0, lastText: '' } as ChannelRecord },
    { put: 'vanishing', key: ['c', 7 * DAY_MS], record: { ids: [messageId] } },
  ])
  const timeline = new Timeline(0)
  const planned = timeline.clock(() => false)
  let [asked, set, fired] = [0, 0, 0]
  const clock = {
    now: () => timeline.nowMs + asked++, // time goes on while a channel is driven
    after: (delayMs: number, run: () => void) => {
      set++
      return planned.after(delayMs, () => {
        fired++
        run()
      })
    },
  }
  const driving: Promise<void>[] = []
  const hands = {
    timers: new Timers(clock),
    isStopped: () => false,
    isGreeted: () => false,
    inTurn: (_channelId, _name, task) => driving.push(task()),
    tellUnread: async () => {},
  } as Partial<ChannelHands> as ChannelHands
  const runner = new ChannelRunner({ store, clock, changes: { announce: () => {} } } as unknown as Deps, hands)
  const kick = async (): Promise<void> => {
    runner.kick('c')
    await Promise.all(driving)
  }

  for (let i = 0; i < 20; i++) await kick()
  expect(set - fired).toBe(1)
  while ((timeline.nextMs ?? Number.POSITIVE_INFINITY) <= 8 * DAY_MS) {
    timeline.step()
    await Promise.all(driving)
    expect(set - fired).toBeLessThanOrEqual(1)
  }
  expect(fired).toBe((7 * DAY_MS) / (6 * HOUR_MS))
  expect(await store.list('vanishing', { of: 'c' })).toEqual([])
})
