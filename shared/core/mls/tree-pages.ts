import { decodeNode, encodeNode, type Node, type RatchetTree } from 'ts-mls/ratchetTree.js'
import { isLeaf, toNodeIndex } from 'ts-mls/treemath.js'
import { equalBytes } from '../bytes/equal.ts'
import { WireError } from '../errors.ts'
import type { Group } from './group.ts'
import { type GroupChange, type GroupRow, head, isTorn, MAX_ROW_BYTES, type RowName, readHead } from './stored-row.ts'
import { decodeWhole } from './wire.ts'

/**
 * A tree in pages of three levels: a commit changes the nodes of one path, and so rewrites one page in three levels. A page
 * is numbered by its root, as nodes are (RFC 9420 appendix C).
 *
 *   1B  number of nodes, then of each, by place ascending:
 *         4B  place    4B  length    nB  node (RFC 9420 section 7.8)
 */
const PAGE_LEVELS = 3
export const MAX_NODES = 1 << 17

export function pageOf(node: number): number {
  const level = Math.log2(~node & (node + 1)) // the number of trailing one bits
  const top = level - (level % PAGE_LEVELS) + PAGE_LEVELS - 1
  return ((node >>> (top + 1)) << (top + 1)) | ((1 << top) - 1)
}

/** The places of a page, ascending. */
export function placesOf(page: number): number[] {
  const step = (~page & (page + 1)) >>> (PAGE_LEVELS - 1)
  return [-3, -2, -1, 0, 1, 2, 3].map((steps) => page + steps * step)
}

export function changedNodes(group: Group, stored: RatchetTree = []): GroupChange {
  const tree = group.state.ratchetTree
  if (tree === stored) return { put: [], drop: [] }
  const pages = new Set<number>()
  for (let place = 0; place < Math.max(tree.length, stored.length); place++) {
    if (tree[place] !== stored[place]) pages.add(pageOf(place))
  }
  const put: GroupRow[] = []
  const drop: RowName[] = []
  for (const at of pages) {
    const held = placesOf(at).flatMap((place) => {
      const node = tree[place]
      return node === undefined ? [] : [{ place, node }]
    })
    if (held.length === 0) drop.push({ part: 'nodes', at })
    else {
      const w = head(group, group.state.groupContext.epoch).u8(held.length)
      for (const { place, node } of held) w.u32(place).block(encodeNode(node))
      put.push({ part: 'nodes', at, bytes: w.done() })
    }
  }
  return { put, drop }
}

export function countPages(tree: RatchetTree): number {
  return new Set([...tree.keys()].filter((place) => tree[place] !== undefined).map(pageOf)).size
}

/** The shape of a tree that a row of the epoch promises. */
export type TreeShape = { readonly width: number; readonly pages: number }

/**
 * Pages laid over `before`, the tree that they were changed from.
 * @throws WireError 'group/torn' when one is missing
 */
export function decodeNodes(
  group: Pick<Group, 'suite'>,
  epoch: number,
  { width, pages }: TreeShape,
  { put, drop }: GroupChange,
  before: RatchetTree = [],
): RatchetTree {
  if (width > MAX_NODES) throw new WireError('group/tree')
  const tree: RatchetTree = Array.from({ length: width }, (_, place) => before[place])
  const clear = (at: number) => {
    for (const place of placesOf(at)) if (place < width) tree[place] = undefined
  }
  for (const { at } of drop) clear(at)
  for (const { at, bytes } of put) {
    clear(at)
    const row = readHead(bytes)
    if (isTorn(group, row, epoch)) throw new WireError('group/torn')
    for (let left = row.r.u8(); left > 0; left--) {
      const place = row.r.u32()
      const node = toNode(row.r.block(MAX_ROW_BYTES), before[place])
      const fits = place < width && pageOf(place) === at && (node.nodeType === 'leaf') === isLeaf(toNodeIndex(place))
      if (!fits) throw new WireError('group/tree')
      tree[place] = node
    }
    row.r.end()
  }
  if (countPages(tree) !== pages) throw new WireError('group/torn')
  return tree
}

/** The node that was there before, if it is the same: what is remembered of it stays good. */
function toNode(bytes: Uint8Array, before: Node | undefined): Node {
  if (before !== undefined && equalBytes(encodeNode(before), bytes)) return before
  return decodeWhole(decodeNode, bytes, MAX_ROW_BYTES, 'group/node')
}
