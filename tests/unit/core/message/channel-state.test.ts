import { describe, expect, it } from 'vitest'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import {
  decodeChannelState,
  encodeChannelState,
  openBox,
  openChannelState,
  rejoinOuterKey,
  sealBox,
  sealChannelState,
} from '#core/message/channel-state.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { AccountId, Address, EntryId, SeatId } from '#core/wire/ids.ts'
import { MAX_BOX_BYTES, MAX_STATE_BYTES } from '#core/wire/limits.ts'

const bytes = <T extends Uint8Array>(length: number, fill: number) => new Uint8Array(length).fill(fill) as T
const address = bytes<Address>(32, 1)
const entry = bytes<EntryId>(16, 2)
const key = bytes(32, 3)
const state = {
  groupInfo: bytes(700, 4),
  tree: bytes(1200, 5),
  kind: 'group' as const,
  title: 'Garden',
  seats: [{ leaf: 0, seat: bytes<SeatId>(16, 6), entry, moderator: true }],
  accounts: [{ account: bytes<AccountId>(32, 7), entry, sequence: 1, hpkeKey: bytes(32, 8), since: 0 }],
}

describe('the sealed state of a channel', () => {
  it('[BCK2] opens for its channel under the rejoin key, and fills a bucket', async () => {
    const sealed = await sealChannelState(key, address, state)
    expect(isBucket(sealed.length)).toBe(true)
    expect(await openChannelState(key, address, sealed)).toEqual({ v: 1, ...state })
    await expect(openChannelState(bytes(32, 9), address, sealed)).rejects.toThrow('aead/open')
    await expect(openChannelState(key, bytes<Address>(32, 9), sealed)).rejects.toThrow('aead/open')
  })

  it('[BCK6] may be larger than a commit carries: of a tree of any size that the engine takes', async () => {
    const large = { ...state, tree: bytes(MAX_STATE_BYTES * 4, 1) }
    const sealed = await sealChannelState(key, address, large)
    expect(sealed.length).toBeGreaterThan(MAX_STATE_BYTES * 4)
    expect((await openChannelState(key, address, sealed)).tree.length).toBe(large.tree.length)
    expect(() => decodeChannelState(encodeChannelState({ ...state, tree: bytes(9 * 1024 * 1024, 1) }))).toThrow(
      'schema/bytes',
    )
  })

  it('[BCK2] has these fields and no other ones', () => {
    expect(() => decodeChannelState(encodeChannelState({ ...state, kind: 'notes' as never }))).toThrow('schema/one-of')
    expect(() => decodeChannelState(encodeChannelState({ ...state, more: 1 } as never))).toThrow('schema/unknown-field')
  })
})

describe('a box', () => {
  it('[BCK3] gives the rejoin key to its account, in its channel, under its entry alone', async () => {
    const [own, other] = await Promise.all([dhKeyPairFrom(bytes(32, 11)), dhKeyPairFrom(bytes(32, 12))])
    const box = await sealBox(own.publicKey, address, entry, key)
    expect(box.length).toBeLessThanOrEqual(MAX_BOX_BYTES)
    expect(await openBox(own, address, entry, box)).toEqual(key)
    await expect(openBox(other, address, entry, box)).rejects.toThrow('aead/open')
    await expect(openBox(own, bytes<Address>(32, 9), entry, box)).rejects.toThrow('aead/open')
    await expect(openBox(own, address, bytes<EntryId>(16, 9), box)).rejects.toThrow('aead/open')
    await expect(
      openBox(own, address, entry, await sealBox(own.publicKey, address, entry, bytes(31, 1))),
    ).rejects.toThrow('box/length')
  })

  it('[BCK4] the key that an enter is sealed under is another one', () => {
    expect(rejoinOuterKey(key)).toHaveLength(32)
    expect(rejoinOuterKey(key)).not.toEqual(key)
  })
})
