import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { type Head, manifestLeaf, verifyConsistency, verifyHead, verifyInclusion } from '#core/identity/merkle.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { Holder } from '../support/relay/holder.ts'

let now = 0
let seed = 80_000
let relay: MemoryRelay
let ann: Holder

const holder = () =>
  Holder.make(
    relay.connect(() => {}),
    seed++,
  )
const head = () => ann.caller.call('transparency.head', {})
const leavesOf = ({ account }: Holder, after = 0) => ann.caller.call('transparency.account', { account, after })

async function isIn(who: Holder, { size, root }: Head, sequence = who.sequence): Promise<boolean> {
  const { account, manifest } = who
  const { index, path } = await ann.caller.call('transparency.leaf', { account, sequence, size })
  const leaf = manifestLeaf(account, sequence, sha256(manifest))
  return index !== undefined && verifyInclusion({ leaf, index, size, root, path })
}

async function wait(ms: number): Promise<void> {
  await relay.idle()
  now += ms
  await relay.runAlarms(now)
  await relay.idle()
}

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  ann = await holder()
})
afterEach(() => relay.close())

describe('the realm’s log of manifests', () => {
  it('[TRL1] [K-13] has every manifest that was taken, and proves that it goes on from what it was', async () => {
    const heads: Head[] = [await head()]
    expect(heads[0]?.size).toBe(0)
    const people = [ann, await holder(), await holder()]
    for (let round = 0; round < 4; round++) {
      for (const one of people) await one.list()
      await relay.idle()
      const newest = await head()
      for (const one of people) expect(await isIn(one, newest)).toBe(true)
      heads.push(newest)
    }
    expect(heads.map(({ size }) => size)).toEqual([0, 3, 6, 9, 12])
    for (const before of heads) {
      for (const after of heads.filter(({ size }) => size >= before.size)) {
        const { path } = await ann.caller.call('transparency.growth', { from: before.size, to: after.size })
        expect(verifyConsistency(before, after, path), `${before.size} to ${after.size}`).toBe(true)
      }
    }
    expect(relay.nextAlarmMs).toBeUndefined()
  })

  it('[TRL2] its head is signed by the key that the realm says at the beginning', async () => {
    await ann.list()
    await relay.idle()
    const { listKey = new Uint8Array() } = await ann.caller.call('session.hello', { version: 1 })
    const { signature, ...shown } = await head()
    expect(await verifyHead(shown, signature, listKey)).toBe(true)
    expect(await verifyHead({ ...shown, size: 2 }, signature, listKey)).toBe(false)
    expect(await verifyHead({ ...shown, root: sha256(shown.root) }, signature, listKey)).toBe(false)
  })

  it('[TRL1] the same manifest twice is one leaf; one that is refused is none', async () => {
    await ann.list()
    await ann.caller.call('account.put', { manifest: ann.manifest })
    const other = await ann.sign(1, [await ann.newDevice()])
    await expect(ann.caller.call('account.put', { manifest: other })).rejects.toMatchObject({
      code: 'manifest/equivocation',
    })
    await relay.idle()
    expect((await head()).size).toBe(1)
    expect((await leavesOf(ann)).leaves).toEqual([{ index: 0, sequence: 1, hash: sha256(ann.manifest) }])
  })

  it('[TRL1] [I-16] a crash at any write leaves a manifest that was taken in the log, once', async () => {
    let crashes = 0
    for (let at = 1; at <= 12; at++) {
      for (const side of ['before', 'after'] as const) {
        let writes = 0
        const before = (await head()).size
        const bea = await holder()
        relay.crashPlan = () => (++writes === at ? side : undefined)
        await bea.list().catch(() => undefined)
        await relay.idle()
        relay.crashPlan = () => undefined
        if (writes >= at) crashes++
        ann.caller = bea.caller = relay.connect(() => {})
        await wait(2_000)
        await wait(60_000)
        const { manifest } = await bea.caller.call('account.get', { account: bea.account })
        const newest = await head()
        expect(newest.size - before, `crash ${side} write ${at}`).toBe(manifest === undefined ? 0 : 1)
        if (manifest !== undefined) expect(await isIn(bea, newest)).toBe(true)
        expect(relay.nextAlarmMs).toBeUndefined()
      }
    }
    expect(crashes).toBeGreaterThan(4)
  })

  it('[TRL1] [R-03] a log that is an older copy of itself gets back what is put again', async () => {
    await ann.list()
    await relay.idle()
    const putBack = relay.copy('TRANSPARENCY')
    const bea = await holder()
    await bea.list()
    await relay.idle()
    putBack()
    ann.caller = bea.caller = relay.connect(() => {})
    expect((await head()).size).toBe(1)
    await bea.caller.call('account.put', { manifest: bea.manifest })
    await relay.idle()
    expect(await isIn(bea, await head())).toBe(true)
  })

  it('[TRL3] says of what is not there, or not there yet, that it is not, and shows no tree larger than it is', async () => {
    const bea = await holder()
    await ann.list()
    await bea.list()
    await relay.idle()
    const nobody = await holder()
    const ask = (who: Holder, sequence: number, size: number) =>
      ann.caller.call('transparency.leaf', { account: who.account, sequence, size })
    expect(await ask(nobody, 1, 2)).toEqual({ path: [] })
    expect(await ask(ann, 2, 2)).toEqual({ path: [] })
    expect(await ask(bea, 1, 1), 'the smaller tree does not have it').toEqual({ path: [] })
    expect((await ask(bea, 1, 2)).index).toBe(1)
    const refused = { code: 'transparency/size', retryable: false }
    await expect(ask(ann, 1, 3)).rejects.toMatchObject(refused)
    for (const [from, to] of [
      [1, 3],
      [2, 1],
    ] as const) {
      await expect(ann.caller.call('transparency.growth', { from, to })).rejects.toMatchObject(refused)
    }
  })

  it('[TRL4] lists every leaf of an account, page by page, and nobody else’s', async () => {
    const bea = await holder()
    await bea.list()
    await relay.idle()
    const log = relay.env.TRANSPARENCY.get(relay.env.TRANSPARENCY.idFromName('manifests'))
    const { account } = ann
    await log.append(Array.from({ length: 300 }, (_, at) => ({ account, sequence: at + 1, hash: sha256(account) })))
    const first = await leavesOf(ann)
    expect([first.leaves.length, first.more]).toEqual([256, true])
    const second = await leavesOf(ann, (first.leaves.at(-1)?.index ?? 0) + 1)
    expect([second.leaves.length, second.more]).toEqual([44, false])
    expect((await leavesOf(bea)).leaves.map(({ index }) => index)).toEqual([0])
  })
})
