import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makeSessionMemory } from '../../../extension/session-memory.ts'
import { Timeline } from '../../support/sim/timeline.ts'

type Change = { readonly oldValue?: unknown; readonly newValue?: unknown }
type Hear = (changes: Record<string, Change>) => void

/** `storage.session`, as every context of an extension sees it: what one writes, all hear. */
const area = vi.hoisted(() => {
  const items = new Map<string, unknown>()
  const listeners = new Set<Hear>()
  const tell = (key: string, change: Change) => {
    for (const hear of listeners) hear({ [key]: change })
  }
  return {
    items,
    listeners,
    get: async (key: string) => (items.has(key) ? { [key]: structuredClone(items.get(key)) } : {}),
    set: async (values: Record<string, unknown>) => {
      for (const [key, newValue] of Object.entries(values)) {
        const oldValue = items.get(key)
        items.set(key, structuredClone(newValue))
        tell(key, { oldValue, newValue })
      }
    },
    remove: async (key: string) => {
      const oldValue = items.get(key)
      if (items.delete(key)) tell(key, { oldValue })
    },
    onChanged: { addListener: (hear: Hear) => listeners.add(hear) },
  }
})
vi.mock('wxt/browser', () => ({ browser: { storage: { session: area } } }))

const MINUTE_MS = 60_000
const lock = { id: new Uint8Array(16).fill(1), afterMinutes: 5 }
const secret = new Uint8Array(32).fill(7)

describe('the key memory of the extension', () => {
  let timeline: Timeline
  let living: boolean
  const open = () => makeSessionMemory(timeline.clock(() => !living))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const passes = async (ms: number) => {
    const until = timeline.nowMs + ms
    while (timeline.nextMs !== undefined && timeline.nextMs <= until) {
      timeline.step()
      await settle()
    }
    timeline.moveTo(until)
  }
  beforeEach(() => {
    area.items.clear()
    area.listeners.clear()
    timeline = new Timeline(0)
    living = true
  })

  it('[K-10] outlives the background worker, for its lock alone', async () => {
    await open().save(lock, secret)
    const later = open()
    expect(await later.load(lock.id)).toMatchObject({ extractable: false })
    expect(await later.load(new Uint8Array(16))).toBeUndefined()
  })

  it('[K-10] is gone after the time, also when no context was alive to see it pass', async () => {
    await open().save(lock, secret)
    living = false
    await passes(6 * MINUTE_MS)
    expect(area.items.size).toBe(1)
    living = true
    expect(await open().load(lock.id)).toBeUndefined()
    expect(area.items.size).toBe(0)
  })

  it('[K-10] every context hears that it is locked, and use anywhere puts it off', async () => {
    const [face, background] = [open(), open()]
    const heard: string[] = []
    background.subscribe((state) => heard.push(state))
    await face.save(lock, secret)
    await passes(4 * MINUTE_MS)
    face.touch()
    await passes(4 * MINUTE_MS)
    expect(await background.load(lock.id)).toBeDefined()
    await passes(MINUTE_MS)
    expect(heard).toEqual(['unlocked', 'locked'])
    expect(await face.load(lock.id)).toBeUndefined()
    await face.save(lock, secret)
    await background.forget()
    expect(heard).toEqual(['unlocked', 'locked', 'unlocked', 'locked'])
  })
})
