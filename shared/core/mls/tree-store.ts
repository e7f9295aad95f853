import { decodeNode, encodeNode, type Node, type RatchetTree } from 'ts-mls/ratchetTree.js'
import type { Reader } from '../bytes/reader.ts'
import type { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { decodeWhole } from './wire.ts'

/**
 * Several ratchet trees that differ little, each node once.
 *
 *    4B  number of nodes, then of each: 4B length, nB node (RFC 9420 section 7.8)
 *    1B  number of trees, newest first; of each
 *          4B  width in nodes
 *          4B  number of places that differ from the tree before it, then of each:
 *                4B  place    4B  0 for blank, else the number of its node, from 1
 */
const MAX_NODE_BYTES = 1024 * 1024
const MAX_NODES = 1 << 17

export function encodeTrees(w: Writer, trees: readonly RatchetTree[]): Writer {
  const numbers = new Map<Node, number>()
  for (const tree of trees) {
    for (const node of tree) if (node !== undefined && !numbers.has(node)) numbers.set(node, numbers.size + 1)
  }
  w.u32(numbers.size)
  for (const node of numbers.keys()) w.block(encodeNode(node))
  w.u8(trees.length)
  let before: RatchetTree = []
  for (const tree of trees) {
    const changes: [number, number][] = []
    for (const [place, node] of tree.entries()) {
      if (node !== before[place]) changes.push([place, node === undefined ? 0 : (numbers.get(node) ?? 0)])
    }
    w.u32(tree.length).u32(changes.length)
    for (const [place, number] of changes) w.u32(place).u32(number)
    before = tree
  }
  return w
}

/** Trees share their nodes, so what is remembered of a node serves all of them. */
export function decodeTrees(r: Reader): RatchetTree[] {
  const nodes: Node[] = []
  for (let left = r.u32(); left > 0; left--) {
    nodes.push(decodeWhole(decodeNode, r.block(MAX_NODE_BYTES), MAX_NODE_BYTES, 'group/node'))
  }
  const trees: RatchetTree[] = []
  for (let left = r.u8(); left > 0; left--) {
    const width = r.u32()
    if (width > MAX_NODES) throw new WireError('group/tree')
    const tree: RatchetTree = Array.from({ length: width }, (_, place) => trees.at(-1)?.[place])
    for (let changes = r.u32(); changes > 0; changes--) {
      const place = r.u32()
      const number = r.u32()
      if (place >= width || number > nodes.length) throw new WireError('group/tree')
      tree[place] = number === 0 ? undefined : nodes[number - 1]
    }
    trees.push(tree)
  }
  r.end()
  return trees
}
