import { decodeRatchetTree, encodeRatchetTree, type RatchetTree } from 'ts-mls/ratchetTree.js'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { CryptoError, WireError } from '../errors.ts'
import { type ChannelContext, decodeChannelContext, encodeChannelContext } from './channel-context.ts'
import type { Group } from './group.ts'
import { checkLeafShape } from './leaf.ts'
import { checkPublicKey } from './provider.ts'
import type { SuiteId } from './suite.ts'
import { decodeWhole } from './wire.ts'

/**
 * What a joiner needs beside its welcome, the same for all of them (MLS14): both are checked against what the welcome's
 * signed GroupInfo has the hashes of.
 *
 *   1B  version (0x01)
 *   4B + nB  ratchet tree (RFC 9420 section 7.8)
 *   4B + nB  table of the channel context
 */
export type JoinTree = { readonly ratchetTree: RatchetTree; readonly context: ChannelContext }

const VERSION = 0x01
const MAX_TREE_BYTES = 8 * 1024 * 1024

export function encodeJoinTree({ state, context }: Group): Uint8Array {
  return new Writer()
    .u8(VERSION)
    .block(encodeRatchetTree(state.ratchetTree))
    .block(encodeChannelContext(context))
    .done()
}

/** @throws WireError, CryptoError 'mls/policy/unmerged-leaves', 'mls/policy/public-key', 'mls/policy/capabilities', 'mls/policy/leaf-extensions' */
export function decodeJoinTree(bytes: Uint8Array, suite: SuiteId): JoinTree {
  const r = new Reader(bytes, MAX_TREE_BYTES)
  if (r.u8() !== VERSION) throw new WireError('mls/tree')
  const ratchetTree = decodeTree(r.block(MAX_TREE_BYTES), suite)
  const context = decodeChannelContext(r.block(MAX_TREE_BYTES))
  r.end()
  return { ratchetTree, context }
}

/** Bounded before the checks of RFC 9420 section 12.4.3.1 walk it: those are quadratic in what a stranger sends. */
function decodeTree(bytes: Uint8Array, suite: SuiteId): RatchetTree {
  const tree = decodeWhole(decodeRatchetTree, bytes, MAX_TREE_BYTES, 'mls/tree')
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType === 'leaf') checkLeafShape(node.leaf, suite)
    if (node?.nodeType !== 'parent') continue
    const [first, last] = leavesBelow(index)
    const { hpkePublicKey, unmergedLeaves } = node.parent
    checkPublicKey(suite, hpkePublicKey)
    const ascending = unmergedLeaves.every((leaf, i) => leaf > (unmergedLeaves[i - 1] ?? -1))
    const below = unmergedLeaves.every((leaf) => leaf >= first && leaf <= last)
    if (!ascending || !below) throw new CryptoError('mls/policy/unmerged-leaves')
  }
  return tree
}

/** Section 4.2 of RFC 9420's appendix C: a node's level is the number of its trailing one bits. */
function leavesBelow(index: number): [number, number] {
  const span = 2 ** Math.log2(~index & (index + 1)) - 1
  return [(index - span) / 2, (index + span) / 2]
}
