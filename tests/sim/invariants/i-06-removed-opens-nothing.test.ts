import { describe, expect, it } from 'vitest'
import { enterKeyOf } from '#app/channel/sealed-state.ts'
import type { SyncRecord } from '#app/ports/records.ts'
import { openOuter } from '#core/message/outer.ts'
import { type Group, openMessage } from '#core/mls/index.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { groupOf } from '../../support/sim/forged-commit.ts'
import { groupIdOf } from '../../support/sim/many-devices.ts'
import { say } from '../../support/sim/meet.ts'
import { circle, personId, personIds } from '../../support/sim/people.ts'
import type { SimDevice } from '../../support/sim/sim-device.ts'
import type { World } from '../../support/sim/world.ts'

async function syncOf(device: SimDevice, id: string): Promise<SyncRecord> {
  const sync = await device.store().get('syncs', id)
  if (sync === undefined) throw new Error(`${device.name} has no channel`)
  return sync
}

/** What a relay that is on the removed one's side could hand over: all of it, by a seat that lives. */
async function everythingAfter(
  world: World,
  { address, seat, token, cursor }: SyncRecord,
): Promise<readonly Ordered[]> {
  const { envelopes } = await world.relay
    .connect(() => {})
    .call('channel.fetch', { address, seat, token, after: cursor })
  return envelopes
}

async function opens(group: Group, { address, keys }: SyncRecord, item: Ordered, nowMs: number): Promise<boolean> {
  for (const key of [...keys.map((one) => one.key), await enterKeyOf(group)]) {
    const message = await openOuter(key, address, item.envelope).catch(() => undefined)
    if (message === undefined) continue
    const opened = await openMessage(group, message, nowMs).catch(() => undefined)
    if (opened?.kind === 'message') return true
  }
  return false
}

describe('[I-06] a member who was removed', () => {
  it('opens nothing that was said later, though the relay hands all of it over and nothing of the old state was erased', async () => {
    const { world, first, others } = await circle(71, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    const members = await personIds(others)
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await world.run(90_000)
    cid.goAway()
    const ofCid = await groupIdOf(cid)
    const [kept, keptSync] = [await groupOf(cid, ofCid), await syncOf(cid, ofCid)]
    const before = await syncOf(first, channelId)
    const items: Ordered[] = []
    /** At once: the relay forgets what every living seat has (T-05). */
    const listen = async (ms: number): Promise<void> => {
      await world.run(ms)
      const known = new Set(items.map(({ position }) => position))
      const heard = await everythingAfter(world, { ...before, cursor: keptSync.cursor })
      items.push(...heard.filter(({ position }) => !known.has(position)))
    }
    await say(first, channelId, 'said while cid was in')
    await listen(5_000)
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await listen(1_000)
    const removedAt = (await syncOf(first, channelId)).lastCommit
    await say(first, channelId, 'said afterwards')
    await listen(300)
    await say(bea, await groupIdOf(bea), 'and so was this')
    await listen(300)
    await listen(60_000)

    const opened: number[] = []
    for (const item of items) {
      if (await opens(kept, keptSync, item, world.timeline.nowMs)) opened.push(item.position)
    }
    expect(opened.length, 'what was said to it before').toBeGreaterThan(0)
    expect(opened.filter((position) => position > removedAt)).toEqual([])
    expect(items.filter(({ position, commit }) => !commit && position > removedAt).length).toBeGreaterThanOrEqual(2)
    const { address, seat, token, cursor } = keptSync
    const asking = world.relay.connect(() => {}).call('channel.fetch', { address, seat, token, after: cursor })
    await expect(asking, 'and an honest one gives it nothing').rejects.toThrow('seat/removed')
  })
})
