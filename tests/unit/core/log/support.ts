import { sha256 } from '#core/crypto/hash.ts'
import type { Dice } from '#core/crypto/random.ts'
import { makeKeyRing } from '#core/keys/key-ring.ts'
import type { Dated, Delta, DeltaOf } from '#core/log/delta.ts'
import type { AccountId, Address, DeviceId, MessageId } from '#core/wire/ids.ts'

export const bytes = (n: number) => sha256(Uint8Array.of(n))
export const account = bytes(1) as AccountId
export const address = bytes(2) as Address
export const channel = bytes(3) as Address
export const device = (n: number) => bytes(n).slice(0, 16) as DeviceId
export const messageId = (n: number) => bytes(n).slice(16) as MessageId

/** Never gives the same bytes twice. */
export function countingDice(seed = 0): Dice {
  let calls = seed * 1000
  return (length) => {
    const out = new Uint8Array(length)
    for (let at = 0; at < length; at += 32) {
      out.set(sha256(new TextEncoder().encode(`dice ${calls++}`)).subarray(0, Math.min(32, length - at)), at)
    }
    return out
  }
}

export const ring = makeKeyRing({ account, logAddressSecret: bytes(4), ownerKey: bytes(5) }, countingDice())

export const line = (at: number, id: number, more: Partial<DeltaOf<'line'>> = {}): DeltaOf<'line'> => ({
  kind: 'line',
  at,
  channel,
  order: id,
  messageId: messageId(id),
  author: account,
  atMs: at,
  text: `text ${id}`,
  ...more,
})

export const dated = <D extends Delta>(by: number, delta: D): Dated<D> => ({ by: device(by), delta })
