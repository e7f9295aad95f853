import { encodeNode } from 'ts-mls/ratchetTree.js'
import { consumeRatchet } from 'ts-mls/secretTree.js'
import { leafToNodeIndex, toLeafIndex } from 'ts-mls/treemath.js'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  decodeGroup,
  decodeStaged,
  encodeStaged,
  type Group,
  mergeStaged,
  openMessage,
  SUITE_CLASSICAL,
  SUITE_XWING,
} from '#core/mls/index.ts'
import { provider } from '#core/mls/provider.ts'
import { groups, NOW_MS, person } from '../../../../bench/mls/groups.ts'
import { bytesOf, Disk, say, stage, world } from './support.ts'

const MEMBERS = 1000
const people = Promise.all(Array.from({ length: MEMBERS }, (_, i) => person(`${i}`)))
const cases = [
  { name: 'classical', suite: SUITE_CLASSICAL, shape: 'flat' },
  { name: 'classical', suite: SUITE_CLASSICAL, shape: 'full' },
  { name: 'X-Wing', suite: SUITE_XWING, shape: 'full' },
] as const

/** Nodes that are other ones than before, as they are encoded. */
function newNodes({ state: { ratchetTree: after } }: Group, { state: { ratchetTree: before } }: Group): number {
  return after.reduce(
    (sum, node, place) => sum + (node === undefined || node === before[place] ? 0 : encodeNode(node).length),
    0,
  )
}

function onDisk(group: Group): Disk {
  const disk = new Disk()
  disk.save(group)
  return disk
}

describe.each(cases)('[MLS16] at 1,000 members, $name, $shape tree', ({ suite, shape }) => {
  const w = { ...world(suite), nowMs: NOW_MS }
  const cs = provider(suite, w)
  let first: Group
  let last: Group

  beforeAll(async () => {
    ;[first, last] = await groups(suite, await people, shape, shape === 'full')
  }, 60_000)

  it('a message that is sent or opened writes at most 4 KB', async () => {
    const disks = [onDisk(first), onDisk(last)] as const
    let [from, to] = [first, last]
    const written: number[] = []
    for (let i = 0; i < 3; i++) {
      const said = await say(w, from, `${i}`)
      const opened = await openMessage(to, said.message, NOW_MS)
      written.push(bytesOf(disks[0].save(said.next)), bytesOf(disks[1].save(opened.next)))
      ;[from, to] = [said.next, opened.next]
    }
    expect(Math.max(...written)).toBeLessThanOrEqual(4096)
    expect((await say(w, disks[0].load(first.signer), 'still')).message).toHaveLength(
      (await say(w, from, 'still')).message.length,
    )
  })

  it('a message writes no more when everybody has sent in this epoch, and what they leave is bounded', async () => {
    let { secretTree } = first.state
    for (let leaf = 0; leaf < MEMBERS; leaf++) {
      secretTree = (await consumeRatchet(secretTree, leafToNodeIndex(toLeafIndex(leaf)), 'application', cs)).newTree
    }
    const busy = { ...first, state: { ...first.state, secretTree } }
    const disk = onDisk(busy)
    expect(bytesOf(disk.save((await say(w, busy, 'x')).next))).toBeLessThanOrEqual(4096)
    expect(bytesOf(disk.rows.filter(({ part }) => part === 'ratchets')) / MEMBERS).toBeLessThan(256)
  })

  it('a commit of its own or of another writes at most 64 KB beyond the new nodes, also while it is staged', async () => {
    const disks = [onDisk(first), onDisk(last)] as const
    const staged = await stage(w, first)
    const pending = encodeStaged(staged.next, first)
    expect(pending.length - newNodes(staged.next, first)).toBeLessThanOrEqual(65_536)
    const { next } = await mergeStaged(first, decodeStaged(pending, first.signer, first), w.nowMs)
    const own = bytesOf(disks[0].save(next)) - newNodes(staged.next, first)
    expect(own).toBeLessThanOrEqual(65_536)
    console.log(
      `${newNodes(staged.next, first)} B of new nodes; beyond them: own commit ${own}, staged ${pending.length}`,
    )
    if (shape === 'full') return // parents share one key here, and are refused for it
    const opened = await openMessage(last, staged.commit, NOW_MS)
    const theirs = bytesOf(disks[1].save(opened.next)) - newNodes(opened.next, last)
    expect(theirs).toBeLessThanOrEqual(65_536)
    expect(disks[1].rows.length).toBeLessThan(400)
    const before = performance.now()
    decodeGroup(disks[1].rows, last.signer)
    console.log(
      `${theirs} another's; ${disks[1].rows.length} rows, read in ${Math.round(performance.now() - before)} ms`,
    )
  })
})
