import { expect, it } from 'vitest'
import type { Loaded } from '#app/channel/loaded.ts'
import { receiptDelayMs } from '#app/message/owe-receipts.ts'

it('[MSG9] a receipt waits 60 to 120 ms in a channel of two, and 2 to 4 s in a group, by chance', () => {
  const delayMs = (kind: 'direct' | 'group', byte: number): number =>
    receiptDelayMs({ dice: () => Uint8Array.of(byte) }, { channel: { kind } } as Loaded)
  for (const [kind, least, most] of [
    ['direct', 60, 120],
    ['group', 2_000, 4_000],
  ] as const) {
    expect(delayMs(kind, 0)).toBe(least)
    expect(delayMs(kind, 255)).toBeGreaterThan(0.98 * most)
    expect(delayMs(kind, 255)).toBeLessThanOrEqual(most)
  }
})
