import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import { type SigningKey, verify } from '../crypto/sign.ts'
import type { AccountId } from '../wire/ids.ts'

/**
 * Merkle tree of manifests (K-13; docs/spec/transparency.md), hashed as RFC 9162 section 2.1.1 does. The one who keeps it
 * stores the hash of every whole subtree: `nodes(level, index)` is that of leaves index·2^level to (index + 1)·2^level - 1.
 */
export type Nodes = (level: number, index: number) => Uint8Array
export type Node = { readonly level: number; readonly index: number; readonly hash: Uint8Array }
export type Head = { readonly size: number; readonly root: Uint8Array }

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

export function manifestLeaf(account: AccountId, sequence: number, manifestHash: Uint8Array): Uint8Array {
  const bound = new Writer().raw(account).u32(sequence).raw(manifestHash).done()
  return sha256(concatBytes(LEAF, labels.transparencyLeaf, bound))
}

export function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right))
}

/** The nodes that become whole when a leaf is appended to a tree of `size` leaves, the leaf itself first. */
export function appended(size: number, leaf: Uint8Array, nodes: Nodes): Node[] {
  const whole: Node[] = [{ level: 0, index: size, hash: leaf }]
  let hash = leaf
  for (let level = 0, index = size; index % 2 === 1; level++, index = Math.floor(index / 2)) {
    hash = parentOf(nodes(level, index - 1), hash)
    whole.push({ level: level + 1, index: Math.floor(index / 2), hash })
  }
  return whole
}

/** RFC 9162 section 2.1.1. */
export function rootOf(size: number, nodes: Nodes): Uint8Array {
  return size === 0 ? sha256(new Uint8Array()) : hashOf(0, size, nodes)
}

/** TRL2: what the realm's list key signs. */
function headBytes({ size, root }: Head): Uint8Array {
  return new Writer().raw(labels.transparencyHead).u64(size).raw(root).done()
}

export function signHead(head: Head, list: Pick<SigningKey, 'sign'>): Promise<Uint8Array> {
  return list.sign(headBytes(head))
}

export function verifyHead(head: Head, signature: Uint8Array, listKey: Uint8Array): Promise<boolean> {
  return verify(listKey, headBytes(head), signature)
}

/** RFC 9162 section 2.1.3.1. */
export function inclusionPath(index: number, size: number, nodes: Nodes): Uint8Array[] {
  const path: Uint8Array[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const split = from + splitOf(to - from)
    if (index < split) {
      path.unshift(hashOf(split, to, nodes))
      to = split
    } else {
      path.unshift(hashOf(from, split, nodes))
      from = split
    }
  }
  return path
}

/** RFC 9162 section 2.1.4.1. */
export function consistencyPath(before: number, after: number, nodes: Nodes): Uint8Array[] {
  const path: Uint8Array[] = []
  if (before === 0) return path
  let [from, to] = [0, after]
  while (to !== before) {
    const split = from + splitOf(to - from)
    if (before <= split) {
      path.unshift(hashOf(split, to, nodes))
      to = split
    } else {
      path.unshift(hashOf(from, split, nodes))
      from = split
    }
  }
  return from === 0 ? path : [hashOf(from, to, nodes), ...path]
}

type Inclusion = Head & { readonly leaf: Uint8Array; readonly index: number; readonly path: readonly Uint8Array[] }

/** RFC 9162 section 2.1.3.2. */
export function verifyInclusion({ leaf, index, size, root, path }: Inclusion): boolean {
  if (index >= size) return false
  let [at, last, hash] = [index, size - 1, leaf]
  for (const other of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = parentOf(other, hash)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = parentOf(hash, other)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && equalBytes(hash, root)
}

/** RFC 9162 section 2.1.4.2: the tree at `after` begins with the one at `before`. */
export function verifyConsistency(before: Head, after: Head, path: readonly Uint8Array[]): boolean {
  if (before.size > after.size) return false
  if (before.size === after.size) return path.length === 0 && equalBytes(before.root, after.root)
  if (before.size === 0) return path.length === 0
  const roots = rootsOf(before.size, after.size, isPowerOfTwo(before.size) ? [before.root, ...path] : path)
  return roots !== undefined && equalBytes(roots.old, before.root) && equalBytes(roots.now, after.root)
}

/** The root that the tree at `after` had at a smaller size, by a path that is good for `after`; none where that size is a power of two. */
export function earlierRoot(size: number, after: Head, path: readonly Uint8Array[]): Uint8Array | undefined {
  if (size < 1 || size >= after.size || isPowerOfTwo(size)) return undefined
  const roots = rootsOf(size, after.size, path)
  return roots !== undefined && equalBytes(roots.now, after.root) ? roots.old : undefined
}

type Roots = { readonly old: Uint8Array; readonly now: Uint8Array }

function rootsOf(before: number, after: number, [first, ...others]: readonly Uint8Array[]): Roots | undefined {
  if (first === undefined) return undefined
  let [at, last] = [before - 1, after - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  let [old, now] = [first, first]
  for (const other of others) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      old = parentOf(other, old)
      now = parentOf(other, now)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else now = parentOf(now, other)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? { old, now } : undefined
}

/** Of leaves `from` to `to`, which begin at a multiple of the largest whole subtree among them. */
function hashOf(from: number, to: number, nodes: Nodes): Uint8Array {
  const count = to - from
  if (isPowerOfTwo(count)) return nodes(Math.log2(count), from / count)
  const split = from + splitOf(count)
  return parentOf(hashOf(from, split, nodes), hashOf(split, to, nodes))
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1))
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}

function half(value: number): number {
  return Math.floor(value / 2)
}
