import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Writer } from '#core/bytes/writer.ts'
import {
  type ChannelContext,
  changeContext,
  decodeChannelContext,
  encodeChannelContext,
  toExtension,
} from '#core/mls/channel-context.ts'
import { decodeCommitData, encodeCommitData } from '#core/mls/commit-data.ts'
import { createGroup, type Group, openMessage, type Role, spaceListing, spaceOf, stageCommit } from '#core/mls/index.ts'
import { EMPTY_PROFILE } from '#core/mls/profile.ts'
import { MAX_SPACE_CHANNELS, type SpaceChange, type SpacePart } from '#core/mls/space.ts'
import type { AccountId, Address } from '#core/wire/ids.ts'
import { mutated, onlyTyped, RUNS } from '../../../support/hostile.ts'
import { type Forgery, forge } from './forge.ts'
import { type Account, deviceOf, join, makeAccount, merge, NO_SEATS, packageOf, world } from './support.ts'

const at = (fill: number) => new Uint8Array(32).fill(fill) as Address
const many = (count: number) => Array.from({ length: count }, (_, i) => at(i + 1))
const account = new Uint8Array(32).fill(1) as AccountId
const plain: ChannelContext = {
  kind: 'group',
  accounts: [{ account, role: 'owner', sequence: 1 }],
  profile: EMPTY_PROFILE,
}
const PARTS: readonly SpacePart[] = [
  { is: 'home', channels: [] },
  { is: 'home', channels: many(MAX_SPACE_CHANNELS) },
  { is: 'channel', home: at(9) },
]

describe('[MLS24] [C-10] what a group is of a space, in the table', () => {
  it('is there in one encoding, with a profile and without; a table that has none is what it was', () => {
    expect(encodeChannelContext(plain)[0]).toBe(1)
    for (const space of PARTS) {
      for (const profile of [EMPTY_PROFILE, { ...EMPTY_PROFILE, title: 'Walks' }]) {
        const context = { ...plain, profile, space }
        expect(encodeChannelContext(context)[0]).toBe(3)
        expect(decodeChannelContext(encodeChannelContext(context))).toEqual(context)
      }
    }
  })

  it('[I-10] whatever decodes encodes to the same bytes, and nothing but typed errors comes of the rest', async () => {
    for (const space of PARTS.slice(0, 1).concat(PARTS.slice(2), { is: 'home', channels: many(3) })) {
      for (const profile of [EMPTY_PROFILE, { ...EMPTY_PROFILE, title: 'Walks' }]) {
        const bytes = mutated(encodeChannelContext({ ...plain, profile, space }))
        const holds = (input: Uint8Array) =>
          onlyTyped(() => {
            expect(encodeChannelContext(decodeChannelContext(input))).toEqual(new Uint8Array(input))
          })
        await fc.assert(fc.asyncProperty(bytes, holds), RUNS)
      }
    }
  })

  it('is refused out of order, twice, too many, of another kind, or in a conversation of two', () => {
    const table = (bytes: readonly number[], addresses: readonly Address[] = [], kind = 1) => {
      const w = new Writer().u8(3).u8(kind)
      for (const byte of bytes) w.u8(byte)
      for (const one of addresses) w.raw(one)
      w.u16(1).raw(account).u8(2).u32(1)
      return () => decodeChannelContext(w.done())
    }
    expect(table([0, 1, 2], [at(1), at(2)])).not.toThrow()
    expect(table([0, 1, 2], [at(2), at(1)])).toThrow('space/channels')
    expect(table([0, 1, 2], [at(1), at(1)])).toThrow('space/channels')
    expect(table([0, 1, 65], many(65))).toThrow('space/channels')
    expect(table([0, 3], [at(1)])).toThrow('space/part')
    expect(table([2, 2], [at(1)])).toThrow('channel-context/profile')
    expect(table([1, ...new Array(20).fill(0), 2], [at(1)])).toThrow('channel-context/profile')
    expect(table([0, 2], [at(1)], 0)).toThrow('channel-context/direct')
    const two = { ...plain.accounts[0], account: at(2) as unknown as AccountId, role: 'owner' as const, sequence: 1 }
    const direct = { ...plain, kind: 'direct' as const, accounts: [...plain.accounts, two] }
    expect(() => decodeChannelContext(encodeChannelContext(direct))).not.toThrow()
    const ofSpace = { ...direct, space: PARTS[2] as SpacePart }
    expect(() => decodeChannelContext(encodeChannelContext(ofSpace))).toThrow('channel-context/direct')
  })
})

describe('[MLS24] a change of it', () => {
  const data = { timeMs: 1, seatsHash: new Uint8Array(32), manifests: [], roles: [] }

  it('is in what a commit says, in one encoding', () => {
    const changes: SpaceChange[] = [
      { leave: true },
      { list: [at(1), at(3)], unlist: [at(2)] },
      { list: [], unlist: [at(2)] },
    ]
    for (const space of changes) {
      for (const more of [{}, { profile: { title: 'x' } }]) {
        const all = { ...data, ...more, space }
        expect(encodeCommitData(all)[0]).toBe(3)
        expect(decodeCommitData(encodeCommitData(all))).toEqual(all)
      }
    }
    const refused = (space: SpaceChange) => expect(() => decodeCommitData(encodeCommitData({ ...data, space })))
    refused({ list: [], unlist: [] }).toThrow('space/change')
    refused({ list: [at(1)], unlist: [at(1)] }).toThrow('space/change')
    refused({ list: [at(2), at(1)], unlist: [] }).toThrow('space/channels')
    refused({ list: many(65), unlist: [] }).toThrow('space/channels')
  })

  it('puts addresses in their order and says the same for the same', () => {
    const home = (channels: readonly Address[]): ChannelContext => ({ ...plain, space: { is: 'home', channels } })
    const list = (...addresses: Address[]) => ({ space: spaceListing(addresses, []) })
    const after = changeContext(home([at(2)]), list(at(3), at(1)))
    expect(after).toEqual(home(many(3)))
    expect(changeContext(after, list(at(3)))).toBe(after)
    expect(changeContext(after, { space: spaceListing([], [at(2)]) })).toEqual(home([at(1), at(3)]))
    const channel: ChannelContext = { ...plain, space: { is: 'channel', home: at(1) } }
    expect(changeContext(channel, { space: { leave: true } })).toEqual(plain)
  })
})

describe('[MLS24] [C-04] members judge it alike', () => {
  const w = world()
  const ROLES: readonly Role[] = ['owner', 'admin', 'member']
  let accounts: Account[]
  beforeAll(async () => {
    accounts = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
  })

  /** Three people in a group that is that of a space. */
  async function gather(space: SpacePart | undefined): Promise<Group[]> {
    const [first, ...others] = accounts
    if (first === undefined) throw new Error('nobody')
    const { signer, certificate } = deviceOf(first)
    const roles = accounts.map(({ id }, i) => ({ account: id, role: ROLES[i] ?? 'member' }))
    const manifests = [{ account: first.id, sequence: first.sequence }]
    const input = { suite: w.suite, groupId: w.dice(32), signer, certificate, kind: 'group' as const, roles, manifests }
    const group = await createGroup({ ...input, nowMs: w.nowMs, ...(space && { space }) }, w.dice)
    const made = await Promise.all(others.map((one) => packageOf(w, deviceOf(one))))
    const authenticatedData = {
      timeMs: w.nowMs,
      seatsHash: NO_SEATS,
      manifests: others.map(({ manifest }) => manifest),
    }
    const adds = made.map(({ keyPackage }) => keyPackage)
    const staged = await stageCommit(group, { adds, removes: [], authenticatedData }, w.dice)
    const joined = await Promise.all(
      others.map((one, i) => {
        const own = made[i]
        if (own === undefined) throw new Error('no key package')
        return join(staged, own, deviceOf(one))
      }),
    )
    return [await merge(group, staged), ...joined]
  }

  async function verdict(groups: readonly Group[], by: number, change: SpaceChange, proposed = change) {
    const group = groups[by]
    if (group === undefined) throw new Error('nobody')
    const extensions = [toExtension(changeContext(group.context, { space: proposed }))]
    const proposals: Forgery['proposals'] = [
      { proposalType: 'group_context_extensions', groupContextExtensions: { extensions } },
    ]
    const commit = await forge(w, group, { proposals, space: change })
    const said = await Promise.all(
      groups
        .filter((_, i) => i !== by)
        .map((other) =>
          openMessage(other, commit, w.nowMs).then(
            (opened) => (opened.kind === 'commit' ? JSON.stringify(spaceOf(opened.next)) : opened.kind),
            (error: { code?: string; message: string }) => error.code ?? error.message,
          ),
        ),
    )
    return [...new Set(said)].join(' | ')
  }

  it('of a home: owners and admins list and unlist; nobody leaves it, and 65 are too many', async () => {
    const groups = await gather({ is: 'home', channels: [at(7)] })
    expect(spaceOf(groups[2] as Group), 'a newcomer has it too').toEqual({ is: 'home', channels: [at(7)] })
    const list = spaceListing([at(5)], [])
    for (const by of [0, 1]) {
      expect(await verdict(groups, by, list)).toBe(JSON.stringify({ is: 'home', channels: [at(5), at(7)] }))
    }
    expect(await verdict(groups, 2, list)).toBe('mls/policy/role-space')
    expect(await verdict(groups, 0, { leave: true })).toBe('mls/policy/space')
    expect(
      await verdict(
        groups,
        0,
        spaceListing(
          many(64).map((_, i) => at(100 + i)),
          [],
        ),
      ),
    ).toBe('mls/policy/space')
    expect(await verdict(groups, 0, list, spaceListing([at(6)], [])), 'other than it says').toBe('mls/policy/context')
  })

  it('of a channel: owners and admins take it out, and it never names another', async () => {
    const groups = await gather({ is: 'channel', home: at(7) })
    for (const by of [0, 1]) expect(await verdict(groups, by, { leave: true })).toBe('')
    expect(await verdict(groups, 2, { leave: true })).toBe('mls/policy/role-space')
    expect(await verdict(groups, 0, spaceListing([at(5)], []))).toBe('mls/policy/space')
  })

  it('of any other group there is none', async () => {
    const groups = await gather(undefined)
    expect(await verdict(groups, 0, { leave: true })).toBe('mls/policy/space')
    expect(await verdict(groups, 0, spaceListing([at(5)], []))).toBe('mls/policy/space')
  })
})
