import { expect, it } from 'vitest'
import { SIGNING_HANDLE } from '#app/account/device-signer.ts'
import { saveGroup } from '#app/channel/loaded.ts'
import type { Deps } from '#app/deps.ts'
import { Draft } from '#app/draft.ts'
import { goOnWithJoins } from '#app/join/go-on.ts'
import { type Group, SUITE_XWING } from '#core/mls/index.ts'
import { MemoryRows, makeMemoryHandles } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'
import { create, deviceOf, makeAccount, NOW_MS, packageOf, world } from '../../core/mls/support.ts'

const w = world(SUITE_XWING)
const hands = { turn: <T>(_: string, task: () => Promise<T>) => task(), kick: () => {} }

/** The same leaf so often: what counts is how many there are. */
function crowded(group: Group, devices: number): Group {
  const [leaf] = group.state.ratchetTree
  const nodes = 2 ** Math.ceil(Math.log2(devices)) * 2 - 1
  const ratchetTree = Array.from({ length: nodes }, (_, i) => (i % 2 === 0 && i / 2 < devices ? leaf : undefined))
  return { ...group, state: { ...group.state, ratchetTree } }
}

it('[C-09] [C-12] [GRP8] who is let in by a link or a name comes into no hybrid group of 800 devices; that is said', async () => {
  const [ann, cid] = [await makeAccount('ann'), await makeAccount('cid')]
  const { keyPackage } = await packageOf(w, deviceOf(cid))
  const devices = [{ device: deviceOf(cid).deviceId, keyPackage, drop: new Uint8Array(64) }]
  const relay = { call: async (operation: string) => (operation === 'packages.take' ? { devices } : {}) }
  const person = { account: cid.id, name: 'cid', manifest: cid.manifest, sequence: 1 }
  for (const [before, after] of [
    [799, { state: 'wanted' }],
    [800, { state: 'failed', why: 'join/full' }],
  ] as const) {
    const store = new PlainStore(new MemoryRows())
    await store.takeOver()
    const handles = makeMemoryHandles()
    const { account, keys } = deviceOf(ann)
    await handles.save(SIGNING_HANDLE, keys.privateKey)
    const draft = new Draft(store)
    saveGroup(draft, 'walks', crowded(await create(w, ann), before), undefined)
    const sync = { accounts: [], seats: [], wanted: [] }
    draft.put('syncs', 'walks', sync as never)
    draft.put('channels', 'walks', { kind: 'group', state: 'open', title: 'Walks' } as never)
    draft.put('meta', 'account', { kind: 'account', account, name: 'ann' } as never)
    draft.put('meta', 'device', { kind: 'device', signatureKey: keys.publicKey } as never)
    const by = { invitation: 'one' }
    draft.put('joins', 'one', { channelId: 'walks', by, person, note: '', atMs: NOW_MS, state: 'due' })
    await draft.commit()
    const clock = { now: () => NOW_MS, after: () => () => {} }
    const deps = { store, handles, relay, clock, dice: w.dice, changes: { announce: () => {} } } as unknown as Deps
    await goOnWithJoins(deps, hands, false)
    expect(await store.get('joins', 'one')).toMatchObject(after)
  }
})
