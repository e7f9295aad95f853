import { describe, expect, it } from 'vitest'
import type { Address, WakeLabel } from '#core/wire/ids.ts'
import { openDrop, resealDrop, sealDrop } from '../../../worker/drops.ts'

const key = new Uint8Array(32).fill(1)
const drop = { mailbox: new Uint8Array(32).fill(2) as Address, label: new Uint8Array(16).fill(3) as WakeLabel }

describe('drop', () => {
  it('[DRP1] opens to what was sealed, under the realm’s key only', () => {
    expect(openDrop(key, sealDrop(key, drop))).toEqual(drop)
    expect(
      openDrop(
        key.map((byte) => byte ^ 1),
        sealDrop(key, drop),
      ),
    ).toBeUndefined()
  })

  it('[DRP2] is another one each time it is sealed', () => {
    const first = sealDrop(key, drop)
    const second = resealDrop(key, first)
    expect(second).not.toEqual(first)
    expect(second && openDrop(key, second)).toEqual(drop)
  })

  it('[DRP3] anything else opens to nothing: other lengths, versions, and every flipped byte', () => {
    const sealed = sealDrop(key, drop)
    for (let i = 0; i < sealed.length; i++) {
      expect(
        openDrop(
          key,
          sealed.map((byte, at) => (at === i ? byte ^ 0x10 : byte)),
        ),
      ).toBeUndefined()
    }
    expect(openDrop(key, sealed.subarray(1))).toBeUndefined()
    expect(openDrop(key, new Uint8Array())).toBeUndefined()
  })
})
