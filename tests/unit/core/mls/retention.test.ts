import { beforeAll, describe, expect, it } from 'vitest'
import { wipe } from '#core/bytes/wipe.ts'
import {
  decodeStaged,
  encodeStaged,
  epochOf,
  forgetPast,
  type Group,
  mergeStaged,
  openMessage,
  pastUntilMs,
  sealMessage,
} from '#core/mls/index.ts'
import {
  type Account,
  DAY_MS,
  Disk,
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  merge,
  open,
  openText,
  packageOf,
  restored,
  SUITES,
  say,
  stage,
  world,
} from './support.ts'

const w = world()
let ann: Group
let ben: Group
let accounts: Account[]

beforeAll(async () => {
  accounts = await Promise.all(['ann', 'ben'].map((name) => makeAccount(name)))
  const [a, b] = await groupOf(w, accounts)
  if (a === undefined || b === undefined) throw new Error('unreachable')
  ann = a
  ben = b
})

async function sayMany(from: Group, count: number): Promise<{ next: Group; messages: Uint8Array[] }> {
  const messages: Uint8Array[] = []
  let next = from
  for (let i = 0; i < count; i++) {
    const said = await say(w, next, `${i}`)
    messages.push(said.message)
    next = said.next
  }
  return { next, messages }
}

const last = (messages: Uint8Array[]) => messages.at(-1) ?? new Uint8Array()

/** Both go through one empty commit of the first. */
async function commitBoth(one: Group, other: Group, nowMs = w.nowMs): Promise<[Group, Group]> {
  const staged = await stage({ ...w, nowMs }, one)
  return [await merge(one, staged), await follow(w, other, staged.commit)]
}

describe('[MLS12] messages that were lost, late or doubled', () => {
  it('opens the one after 201 lost ones', async () => {
    const { messages } = await sayMany(ann, 202)
    expect((await openText(w, restored(ben), last(messages))).text).toBe('201')
  })

  it('opens 12 in reverse order, restored after each', async () => {
    const { messages } = await sayMany(ann, 12)
    let next = ben
    const heard: string[] = []
    for (const message of messages.toReversed()) {
      const opened = await openMessage(next, message, w.nowMs)
      if (opened.kind !== 'message') throw new Error('a commit')
      expect(new TextDecoder().decode(opened.plaintext)).toBe(`${opened.generation}`)
      heard.unshift(`${opened.generation}`)
      next = restored(opened.next)
    }
    expect(heard.join()).toBe('0,1,2,3,4,5,6,7,8,9,10,11')
  })

  it('keeps keys of 256 late messages, and no more', async () => {
    const { messages } = await sayMany(ann, 258)
    const { next } = await open(w, ben, last(messages))
    const [first, second] = messages
    await expect(open(w, next, first ?? new Uint8Array())).rejects.toThrow('mls/generation-gone')
    expect((await openText(w, next, second ?? new Uint8Array())).text).toBe('1')
  })

  it('goes 2,000 steps ahead, and no further', async () => {
    const leaf = ann.state.secretTree.leaves[0]
    expect(leaf, 'ann has sent nothing yet').toBeUndefined()
    const { next } = await say(w, ann, 'opens the ratchet')
    const ahead = (generation: number): Group => {
      const node = next.state.secretTree.leaves[0]
      if (node === undefined) throw new Error('no ratchet')
      const leaves = {
        ...next.state.secretTree.leaves,
        0: { ...node, application: { ...node.application, generation } },
      }
      return { ...next, state: { ...next.state, secretTree: { ...next.state.secretTree, leaves } } }
    }
    const far = await say(w, ahead(2001), 'x')
    await expect(open(w, ben, far.message)).rejects.toThrow('mls/generation-ahead')
    const near = await say(w, ahead(2000), 'x')
    await expect(open(w, ben, near.message), 'the key is another one, but it was looked for').rejects.toThrow(
      'mls/open',
    )
  })

  it('[I-04] refuses what it has opened before', async () => {
    const { message } = await say(w, ann, 'once')
    const { next } = await open(w, ben, message)
    await expect(open(w, next, message)).rejects.toThrow('mls/generation-gone')
    await expect(open(w, restored(next), message)).rejects.toThrow('mls/generation-gone')
  })

  it('refuses what it sent itself', async () => {
    const { next, message } = await say(w, ann, 'mine')
    await expect(open(w, next, message)).rejects.toThrow('mls/generation-gone')
  })
})

describe('[MLS12] epochs', () => {
  it('opens a message five epochs late, restored after each, and not twice', async () => {
    let [a, b] = [ann, ben]
    const { message, next } = await say(w, a, 'late')
    a = next
    for (let i = 0; i < 5; i++) [a, b] = (await commitBoth(a, b)).map(restored) as [Group, Group]
    const opened = await openMessage(b, message, w.nowMs)
    expect(opened).toMatchObject({ kind: 'message', epoch: 1, generation: 0, from: { leaf: 0 } })
    await expect(open(w, opened.next, message)).rejects.toThrow('mls/generation-gone')
    await expect(open(w, restored(opened.next), message), 'also from the ratchets part alone').rejects.toThrow(
      'mls/generation-gone',
    )
  })

  it('lets go of a ninth epoch, and hands out its secrets', async () => {
    let [a, b] = [ann, ben]
    const { message } = await say(w, a, 'too late')
    for (let i = 0; i < 8; i++) [a, b] = await commitBoth(a, b)
    expect((await openText(w, b, message)).text).toBe('too late')
    const doomed = b.state.historicalReceiverData.get(1n)
    const staged = await stage(w, a)
    const opened = await open(w, b, staged.commit)
    expect(opened.spent).toContain(doomed?.senderDataSecret)
    for (const secret of Object.values(doomed?.secretTree.inner ?? {})) expect(opened.spent).toContain(secret)
    await expect(open(w, opened.next, message)).rejects.toThrow('mls/epoch-gone')
  })

  it('lets go of epochs that ended more than 14 days ago', async () => {
    const { message, next } = await say(w, ann, 'old')
    const [a, b] = await commitBoth(next, ben)
    await expect(openMessage(b, message, w.nowMs + 15 * DAY_MS)).rejects.toThrow('mls/epoch-gone')
    const staged = await stage(w, a)
    const late = await openMessage(b, staged.commit, w.nowMs + 15 * DAY_MS)
    for (const later of [late.next, await merge(a, staged, w.nowMs + 15 * DAY_MS)]) {
      expect([...later.past.keys()]).toEqual([2n])
    }
  })

  it('by this device’s clock, whatever time a member gives its commit', async () => {
    const eve = await makeAccount('eve')
    const { keyPackage } = await packageOf(w, deviceOf(eve), 60 * DAY_MS)
    const { message, next } = await say(w, ann, 'on its way')
    const ahead = { adds: [keyPackage], manifests: [eve.manifest], timeMs: w.nowMs + 50 * DAY_MS }
    const staged = await stage(w, next, ahead)
    const [a, b] = [await merge(next, staged, w.nowMs), await follow(w, ben, staged.commit)]
    const [, later] = await commitBoth(a, b)
    expect((await openText(w, later, message)).text).toBe('on its way')
    expect(pastUntilMs(later)).toBe(w.nowMs + 14 * DAY_MS + 1)
    expect([...forgetPast(later, w.nowMs + 15 * DAY_MS).next.past.keys()]).toEqual([])
  })

  it('[C-03] a message of a future epoch is told apart, and opens once that epoch is there', async () => {
    const staged = await stage(w, ann)
    const { message } = await say(w, await merge(ann, staged), 'early')
    await expect(open(w, ben, message)).rejects.toMatchObject({ name: 'StateError', code: 'mls/epoch-ahead' })
    expect((await openText(w, await follow(w, ben, staged.commit), message)).text).toBe('early')
  })

  it('a commit of an epoch that has ended is void', async () => {
    const mine = await stage(w, ann)
    const theirs = await stage(w, ben)
    const after = await follow(w, ann, theirs.commit)
    expect(epochOf(after)).toBe(2)
    await expect(open(w, after, mine.commit)).rejects.toThrow('mls/policy/epoch')
  })
})

describe('[C-03] a staged commit', () => {
  it('leaves the live group as it was: messages go both ways until it is merged, and late ones after', async () => {
    const staged = await stage(w, ann)
    const during = await say(w, ann, 'during')
    const theirs = await sayMany(ben, 3)
    const [first, second, third] = theirs.messages
    let live = (await openText(w, during.next, first ?? new Uint8Array())).next
    live = (await openText(w, live, third ?? new Uint8Array())).next
    const next = decodeStaged(encodeStaged(staged.next, ann), ann.signer, live)

    const merged = restored((await mergeStaged(live, next, w.nowMs)).next)
    expect((await openText(w, merged, second ?? new Uint8Array())).text).toBe('1')
    await expect(open(w, merged, first ?? new Uint8Array()), 'not again').rejects.toThrow('mls/generation-gone')
    const ahead = await follow(w, theirs.next, staged.commit)
    expect((await openText(w, ahead, during.message)).text).toBe('during')
    const own = merged.state.historicalReceiverData.get(1n)?.secretTree.leaves[0]
    expect(own?.handshake.generation, 'its key is gone').toBe(1)
  })

  it('is discarded when another one won', async () => {
    const mine = await stage(w, ann)
    const theirs = await stage(w, ben)
    const after = await follow(w, ann, theirs.commit)
    await expect(mergeStaged(after, mine.next, w.nowMs)).rejects.toThrow('mls/staged-elsewhere')
    const again = await stage(w, after)
    const [a, b] = [await merge(after, again), await follow(w, await merge(ben, theirs), again.commit)]
    expect(a.state.keySchedule.epochAuthenticator).toEqual(b.state.keySchedule.epochAuthenticator)
  })
})

describe.each(SUITES)('[C-08] spent secrets, $name', ({ suite }) => {
  it('can all be wiped once the next state is stored: nothing that lives on shares their bytes', async () => {
    const world2 = world(suite, 'wiping')
    const people = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
    const groups = new Map((await groupOf(world2, people)).entries())
    const disks = people.map(() => new Disk())
    const at = (i: number) => groups.get(i) ?? ann
    /** As the engine does: store, wipe, and go on with what is in memory, or with what was stored. */
    const keep = (i: number, next: Group, spent: readonly Uint8Array[], round: number) => {
      disks[i]?.save(next)
      wipe(...spent)
      groups.set(i, round % 2 === 0 ? next : (disks[i]?.load(next.signer) ?? next))
    }
    const late: Uint8Array[] = []
    for (let round = 0; round < 6; round++) {
      const by = round % 3
      for (const from of [0, 1, 2]) {
        const sealed = await sealMessage(at(from), new Uint8Array([round]), new Uint8Array(), world2.dice)
        keep(from, sealed.next, sealed.spent, round)
        for (const to of [0, 1, 2].filter((i) => i !== from)) {
          if (to === 2 && from === 1) {
            late.push(sealed.message)
            continue
          }
          const opened = await openMessage(at(to), sealed.message, world2.nowMs)
          keep(to, opened.next, opened.spent, round)
        }
      }
      const staged = await stage(world2, at(by))
      const next = decodeStaged(encodeStaged(staged.next, at(by)), at(by).signer, at(by))
      for (const to of [0, 1, 2].filter((i) => i !== by)) {
        const opened = await openMessage(at(to), staged.commit, world2.nowMs)
        keep(to, opened.next, opened.spent, round)
      }
      const merged = await mergeStaged(at(by), round % 2 === 0 ? staged.next : next, world2.nowMs)
      keep(by, merged.next, merged.spent, round)
    }
    for (const message of late) {
      const opened = await openMessage(at(2), message, world2.nowMs)
      keep(2, opened.next, opened.spent, 0)
    }
    expect(late).toHaveLength(6)
  })
})
