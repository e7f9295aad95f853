import { beforeEach, describe, expect, it } from 'vitest'
import type { KeyMemory } from '#app/ports/lock.ts'
import { makeTabsMemory } from '#web/lock-memory.ts'
import { Timeline } from '../../support/sim/timeline.ts'

const MINUTE_MS = 60_000
const lock = { id: new Uint8Array(16).fill(1), afterMinutes: 5 }
const secret = new Uint8Array(32).fill(7)

/** Channels of one name, as an origin has them: a message reaches all the others, a little later. */
class Origin {
  readonly #ends = new Set<{ readonly target: EventTarget; deaf: boolean }>()
  said: unknown[] = []

  open(): { channel: BroadcastChannel; sleep(): void; close(): void } {
    const end = { target: new EventTarget(), deaf: false }
    this.#ends.add(end)
    const postMessage = (data: unknown): void => {
      this.said.push(data)
      for (const other of this.#ends) {
        if (other !== end && !other.deaf)
          queueMicrotask(() => other.target.dispatchEvent(new MessageEvent('message', { data })))
      }
    }
    return {
      channel: Object.assign(end.target, { postMessage }) as unknown as BroadcastChannel,
      sleep: () => {
        end.deaf = true
      },
      close: () => this.#ends.delete(end),
    }
  }
}

describe('the key memory of open tabs', () => {
  let origin: Origin
  let timeline: Timeline
  let tab: KeyMemory
  beforeEach(() => {
    origin = new Origin()
    timeline = new Timeline(0)
    tab = openTab()
  })
  const openTab = () =>
    makeTabsMemory(
      timeline.clock(() => false),
      origin.open().channel,
    )
  /** What was said is heard, and what waited for an answer has had the time for it. */
  const loaded = async (of: KeyMemory) => {
    const loading = of.load(lock.id)
    const until = timeline.nowMs + 250
    await settle()
    while (timeline.nextMs !== undefined && timeline.nextMs <= until) timeline.step()
    return loading
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const passes = async (ms: number) => {
    const until = timeline.nowMs + ms
    while (timeline.nextMs !== undefined && timeline.nextMs <= until) {
      timeline.step()
      await settle()
    }
    timeline.moveTo(until)
  }

  it('[K-10] a tab that is opened later asks the others; the key never leaves WebCrypto, nor do its bytes cross', async () => {
    await tab.save(lock, secret)
    const later = openTab()
    const key = await loaded(later)
    expect(key).toMatchObject({ extractable: false, usages: expect.arrayContaining(['wrapKey', 'unwrapKey']) })
    expect(await later.load(new Uint8Array(16))).toBeUndefined()
    expect(JSON.stringify(origin.said)).not.toContain('"0":7,"1":7')
    expect(JSON.stringify(origin.said), 'the lock’s id crosses').toContain('"0":1,"1":1')
  })

  it('[K-10] is gone with the last tab', async () => {
    const alone = new Origin()
    const { channel, close } = alone.open()
    const only = makeTabsMemory(
      timeline.clock(() => false),
      channel,
    )
    await only.save(lock, secret)
    close()
    expect(
      await loaded(
        makeTabsMemory(
          timeline.clock(() => false),
          alone.open().channel,
        ),
      ),
    ).toBeUndefined()
  })

  it('[K-10] every tab forgets it when nobody used any of them for the set time', async () => {
    const other = openTab()
    const heard: string[] = []
    other.subscribe((state) => heard.push(state))
    await tab.save(lock, secret)
    await passes(4 * MINUTE_MS)
    other.touch()
    await passes(4 * MINUTE_MS)
    expect([await loaded(tab), await loaded(other)]).not.toContain(undefined)
    await passes(MINUTE_MS)
    expect([await loaded(tab), await loaded(other)]).toEqual([undefined, undefined])
    expect(heard).toEqual(['unlocked', 'locked'])
    tab.touch()
    expect(await loaded(tab)).toBeUndefined()
  })

  it('[K-10] locking one locks all, at once', async () => {
    const other = openTab()
    await tab.save(lock, secret)
    await settle()
    await other.forget()
    await settle()
    expect([await loaded(tab), await loaded(other)]).toEqual([undefined, undefined])
  })

  it('[K-10] a context whose timer comes late gives nothing away after the time', async () => {
    let asleep = false
    const { channel, sleep } = origin.open()
    const sleeper = makeTabsMemory(
      timeline.clock(() => asleep),
      channel,
    )
    await tab.save(lock, secret)
    expect(await loaded(sleeper)).toBeDefined()
    asleep = true
    sleep()
    await tab.forget()
    await passes(6 * MINUTE_MS)
    expect(await sleeper.load(lock.id)).toBeUndefined()
  })
})
