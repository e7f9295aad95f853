import { describe, expect, it } from 'vitest'
import { Writer } from '#core/bytes/writer.ts'
import { decodeChannelContext, encodeChannelContext } from '#core/mls/channel-context.ts'
import { decodeCommitData, encodeCommitData } from '#core/mls/commit-data.ts'
import { EMPTY_PROFILE, MAX_AVATAR_BYTES, type ProfileChange } from '#core/mls/profile.ts'
import type { AccountId } from '#core/wire/ids.ts'

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)
const accounts = [{ account: new Uint8Array(32).fill(1) as AccountId, role: 'owner' as const, sequence: 1 }]
const context = { kind: 'group' as const, accounts, profile: EMPTY_PROFILE }
const profile = { title: 'Walks', topic: 'On Sundays', avatar: PNG, timerMs: 60_000 }

describe('[MLS23] [C-13] a profile', () => {
  it('is in the table, and a table without one is what it was before there were any', () => {
    expect(encodeChannelContext(context)[0]).toBe(1)
    expect(decodeChannelContext(encodeChannelContext(context))).toEqual(context)
    const named = { ...context, profile }
    expect(encodeChannelContext(named)[0]).toBe(2)
    expect(decodeChannelContext(encodeChannelContext(named))).toEqual(named)
  })

  it('has one encoding: none of nothing', () => {
    const empty = new Writer().u8(2).u8(1)
    for (let left = 3; left > 0; left--) empty.u32(0)
    empty
      .u64(0)
      .u16(1)
      .raw(accounts[0]?.account ?? new Uint8Array())
      .u8(2)
      .u32(1)
    expect(() => decodeChannelContext(empty.done())).toThrow('channel-context/profile')
  })

  it('changes by the fields that a commit names', () => {
    const data = { timeMs: 1, seatsHash: new Uint8Array(32), manifests: [], roles: [] }
    for (const change of [{ title: 'x' }, { topic: '' }, { avatar: PNG, timerMs: 0 }, profile]) {
      expect(decodeCommitData(encodeCommitData({ ...data, profile: change }))).toEqual({ ...data, profile: change })
    }
    const refused = (change: ProfileChange) => {
      const encoded = encodeCommitData({ ...data, profile: change })
      return expect(() => decodeCommitData(encoded))
    }
    refused({}).toThrow('profile/fields')
    refused({ title: 'x'.repeat(65) }).toThrow('profile/title')
    refused({ topic: 'x'.repeat(513) }).toThrow('profile/topic')
    refused({ avatar: Uint8Array.of(1, 2, 3) }).toThrow('profile/avatar')
    refused({ avatar: new Uint8Array([...PNG, ...new Uint8Array(MAX_AVATAR_BYTES)]) }).toThrow('reader/too-large')
    refused({ timerMs: 2 ** 50 }).toThrow('profile/timer')
  })
})
