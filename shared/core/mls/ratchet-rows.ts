import type { SecretTree, SecretTreeNode } from 'ts-mls/secretTree.js'
import type { Reader } from '../bytes/reader.ts'
import type { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import type { Group } from './group.ts'
import { type GroupChange, type GroupRow, head, type RowName, readHead } from './stored-row.ts'
import { MAX_NODES, pageOf, placesOf } from './tree-pages.ts'

/**
 * The secret trees (RFC 9420 section 9) of this epoch and of past ones: a message touches one leaf and, the first time that
 * leaf sends, one path. A row's number is its epoch times 2^20, plus
 *
 *   page          1B number of secrets, then of each: 4B node, 4B length, nB secret
 *                 1B number of leaves, then of each: 4B node, handshake and application ratchet:
 *                   4B length, nB secret, 4B generation
 *   2^18 + node   keys that the handshake ratchet of that leaf has passed and kept:
 *                 2B number, then of each: 4B generation, 4B length, nB secret
 *   2^19 + node   the same of its application ratchet
 */
const SLOTS = 2 ** 20
const KEPT = { handshake: 2 ** 18, application: 2 ** 19 } as const
const CONTENTS = ['handshake', 'application'] as const
const MAX_SECRET_BYTES = 64

type Ratchet = SecretTreeNode['handshake']
type Kept = Ratchet['unusedGenerations']

export function epochAt(at: number): number {
  return Math.floor(at / SLOTS)
}

export function changedRatchets(
  group: Pick<Group, 'suite'>,
  epoch: bigint,
  tree: SecretTree,
  stored?: SecretTree,
): GroupChange {
  if (tree === stored) return { put: [], drop: [] }
  const put: GroupRow[] = []
  const drop: RowName[] = []
  const change = (slot: number, w: Writer | undefined) => {
    const name: RowName = { part: 'ratchets', at: Number(epoch) * SLOTS + slot }
    if (w === undefined) drop.push(name)
    else put.push({ ...name, bytes: w.done() })
  }
  const pages = new Set<number>()
  for (const node of touched(tree, stored)) {
    const [leaf, before] = [tree.leaves[node], stored?.leaves[node]]
    if (tree.inner[node] === stored?.inner[node] && leaf === before) continue
    pages.add(pageOf(node))
    for (const content of CONTENTS) {
      const [kept, had] = [leaf?.[content].unusedGenerations ?? {}, before?.[content].unusedGenerations ?? {}]
      if (!sameKept(kept, had)) change(KEPT[content] + node, encodeKept(head(group, epoch), kept))
    }
  }
  for (const page of pages) change(page, encodePage(head(group, epoch), tree, placesOf(page)))
  return { put, drop }
}

/** All rows of an epoch that is let go. */
export function ratchetNames(epoch: bigint, { inner, leaves }: SecretTree): RowName[] {
  const slots = new Set([...Object.keys(inner), ...Object.keys(leaves)].map((node) => pageOf(Number(node))))
  for (const [node, leaf] of Object.entries(leaves)) {
    for (const content of CONTENTS) {
      if (Object.keys(leaf[content].unusedGenerations).length > 0) slots.add(KEPT[content] + Number(node))
    }
  }
  return [...slots].map((slot) => ({ part: 'ratchets', at: Number(epoch) * SLOTS + slot }))
}

function touched(...trees: readonly (SecretTree | undefined)[]): Set<number> {
  const nodes = trees
    .flatMap((tree) => (tree === undefined ? [] : [tree.inner, tree.leaves]))
    .flatMap((held) => Object.keys(held))
  return new Set(nodes.map(Number))
}

function sameKept(a: Kept, b: Kept): boolean {
  const generations = Object.keys(a)
  return (
    generations.length === Object.keys(b).length &&
    generations.every((generation) => a[Number(generation)] === b[Number(generation)])
  )
}

function encodePage(w: Writer, { inner, leaves }: SecretTree, places: readonly number[]): Writer | undefined {
  const secrets = places.flatMap((node) => (inner[node] === undefined ? [] : [{ node, secret: inner[node] }]))
  const started = places.flatMap((node) => (leaves[node] === undefined ? [] : [{ node, leaf: leaves[node] }]))
  if (secrets.length + started.length === 0) return undefined
  w.u8(secrets.length)
  for (const { node, secret } of secrets) w.u32(node).block(secret)
  w.u8(started.length)
  for (const { node, leaf } of started) {
    w.u32(node)
    for (const content of CONTENTS) w.block(leaf[content].secret).u32(leaf[content].generation)
  }
  return w
}

function encodeKept(w: Writer, kept: Kept): Writer | undefined {
  const entries = Object.entries(kept)
  if (entries.length === 0) return undefined
  w.u16(entries.length)
  for (const [generation, secret] of entries) w.u32(Number(generation)).block(secret)
  return w
}

/** @throws WireError 'group/torn' */
export function decodeRatchets(
  { suite }: Pick<Group, 'suite'>,
  epoch: number,
  width: number,
  rows: readonly GroupRow[],
): SecretTree {
  if (rows.length === 0) throw new WireError('group/torn') // an epoch has at least what is left of its first secret
  const inner: Record<number, Uint8Array> = {}
  const leaves: Record<number, SecretTreeNode> = {}
  const kept: { readonly slot: number; readonly r: Reader }[] = []
  for (const { at, bytes } of rows) {
    const row = readHead(bytes)
    if (row.suite !== suite || row.epoch !== epoch || epochAt(at) !== epoch) throw new WireError('group/torn')
    const slot = at % SLOTS
    if (slot >= KEPT.handshake) kept.push({ slot, r: row.r })
    else {
      for (let left = row.r.u8(); left > 0; left--) inner[nodeIn(row.r, slot)] = row.r.block(MAX_SECRET_BYTES)
      for (let left = row.r.u8(); left > 0; left--) leaves[nodeIn(row.r, slot)] = readLeaf(row.r)
      row.r.end()
    }
  }
  for (const { slot, r } of kept) {
    const content = slot >= KEPT.application ? 'application' : 'handshake'
    const node = slot - KEPT[content]
    const leaf = leaves[node]
    if (leaf === undefined) throw new WireError('group/torn')
    leaves[node] = { ...leaf, [content]: { ...leaf[content], unusedGenerations: readKept(r) } }
  }
  return { width, inner, leaves }
}

function nodeIn(r: Reader, page: number): number {
  const node = r.u32()
  if (node >= MAX_NODES || pageOf(node) !== page) throw new WireError('group/ratchets')
  return node
}

function readLeaf(r: Reader): SecretTreeNode {
  const readRatchet = () => ({ secret: r.block(MAX_SECRET_BYTES), generation: r.u32(), unusedGenerations: {} })
  return { handshake: readRatchet(), application: readRatchet() }
}

function readKept(r: Reader): Kept {
  const kept: Kept = {}
  for (let left = r.u16(); left > 0; left--) kept[r.u32()] = r.block(MAX_SECRET_BYTES)
  r.end()
  return kept
}
