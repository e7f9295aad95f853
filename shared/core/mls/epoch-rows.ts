import type { ClientState } from 'ts-mls/clientState.js'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import type { EpochReceiverData } from 'ts-mls/epochReceiverData.js'
import { decodeGroupActiveState, groupActiveStateEncoder } from 'ts-mls/groupActiveState.js'
import { decodeGroupContext, type GroupContext, groupContextEncoder } from 'ts-mls/groupContext.js'
import { decodeKeySchedule, keyScheduleEncoder } from 'ts-mls/keySchedule.js'
import { decodePrivateKeyPath, privateKeyPathEncoder } from 'ts-mls/privateKeyPath.js'
import { decodeNode, encodeNode, type RatchetTree } from 'ts-mls/ratchetTree.js'
import type { Reader } from '../bytes/reader.ts'
import { WireError } from '../errors.ts'
import { type ChannelContext, decodeChannelContext, encodeChannelContext, isExtensionOf } from './channel-context.ts'
import type { Group } from './group.ts'
import { clientConfig } from './leaf.ts'
import { type GroupRow, type Head, head, MAX_ROW_BYTES, readBlock, readHead } from './stored-row.ts'
import { type SuiteId, suiteName } from './suite.ts'
import { countPages, MAX_NODES, type TreeShape } from './tree-pages.ts'
import { decodeWhole } from './wire.ts'

/**
 * Part `epochs`. The current epoch, numbered by itself; each block has its 4-byte length:
 *
 *   block group context   block key schedule   block private keys of the path   block confirmation tag   block active state
 *   8B  time of the last commit    4B  width of the tree    4B  its pages    4B  width of the secret tree
 *
 * A past epoch, written once, when it ends:
 *
 *   8B  time of the commit that ended it   block group context   block sender data secret   block resumption secret
 *   4B  width of the secret tree    4B  width of the tree
 *   4B  leaves that the next epoch has not, then of each: 4B place    block node, empty for a blank leaf
 *
 * Late messages need the leaves of their epoch, by whose keys they are signed, and no parent. Number -1: the table of the channel
 * context, which is 37 KB at 1,000 accounts, and so is written when it changes alone.
 */
export const CONTEXT_AT = -1

const encodeContext = encode(groupContextEncoder)
const encodeSchedule = encode(keyScheduleEncoder)
const encodePath = encode(privateKeyPathEncoder)
const encodeActive = encode(groupActiveStateEncoder)

export function contextRow(group: Group): GroupRow {
  const bytes = head(group, group.state.groupContext.epoch).block(encodeChannelContext(group.context)).done()
  return { part: 'epochs', at: CONTEXT_AT, bytes }
}

export function decodeContext(bytes: Uint8Array): ChannelContext {
  const { r } = readHead(bytes)
  const context = decodeChannelContext(r.block(MAX_ROW_BYTES))
  r.end()
  return context
}

export function epochRow(group: Group): GroupRow {
  const { state, lastCommitMs } = group
  const { epoch } = state.groupContext
  const bytes = head(group, epoch)
    .block(encodeContext(state.groupContext))
    .block(encodeSchedule(state.keySchedule))
    .block(encodePath(state.privatePath))
    .block(state.confirmationTag)
    .block(encodeActive(state.groupActiveState))
    .u64(lastCommitMs)
    .u32(state.ratchetTree.length)
    .u32(countPages(state.ratchetTree))
    .u32(state.secretTree.width)
    .done()
  return { part: 'epochs', at: Number(epoch), bytes }
}

type Kept = 'groupContext' | 'keySchedule' | 'privatePath' | 'confirmationTag' | 'groupActiveState'
export type DecodedEpoch = {
  readonly suite: SuiteId
  readonly epoch: number
  readonly state: Pick<ClientState, Kept | 'clientConfig' | 'signaturePrivateKey' | 'unappliedProposals'>
  readonly lastCommitMs: number
  readonly tree: TreeShape
  readonly secretWidth: number
}

export function decodeEpoch({ at, bytes }: GroupRow, context: ChannelContext): DecodedEpoch {
  const row = readHead(bytes)
  const { r, suite, epoch } = row
  const groupContext = readContext(row, at)
  // The table is another row: it must be this epoch's.
  if (!isExtensionOf(groupContext.extensions, context)) throw new WireError('group/torn')
  const state = {
    groupContext,
    keySchedule: readBlock(r, decodeKeySchedule),
    privatePath: readBlock(r, decodePrivateKeyPath),
    confirmationTag: r.block(MAX_ROW_BYTES),
    groupActiveState: readBlock(r, decodeGroupActiveState),
    clientConfig,
    signaturePrivateKey: new Uint8Array(),
    unappliedProposals: {},
  }
  const lastCommitMs = r.u64()
  const tree = { width: r.u32(), pages: r.u32() }
  const secretWidth = r.u32()
  r.end()
  return { suite, epoch, state, lastCommitMs, tree, secretWidth }
}

/** `after`: the tree of the epoch that followed. */
export function pastRow(group: Group, epoch: bigint, data: EpochReceiverData, after: RatchetTree): GroupRow {
  const { ratchetTree: tree } = data
  const others: number[] = []
  for (let place = 0; place < tree.length; place += 2) if (tree[place] !== after[place]) others.push(place)
  const w = head(group, epoch)
    .u64(group.past.get(epoch)?.endedMs ?? group.lastCommitMs)
    .block(encodeContext(data.groupContext))
    .block(data.senderDataSecret)
    .block(data.resumptionPsk)
    .u32(data.secretTree.width)
    .u32(tree.length)
    .u32(others.length)
  for (const place of others) {
    const node = tree[place]
    w.u32(place).block(node === undefined ? new Uint8Array() : encodeNode(node))
  }
  return { part: 'epochs', at: Number(epoch), bytes: w.done() }
}

export type DecodedPast = Omit<EpochReceiverData, 'secretTree'> & {
  readonly endedMs: number
  readonly secretWidth: number
}

export function decodePast({ at, bytes }: GroupRow, after: RatchetTree): DecodedPast {
  const row = readHead(bytes)
  const { r } = row
  const endedMs = r.u64()
  const groupContext = readContext(row, at)
  const senderDataSecret = r.block(MAX_ROW_BYTES)
  const resumptionPsk = r.block(MAX_ROW_BYTES)
  const secretWidth = r.u32()
  const ratchetTree = readLeaves(r, after)
  r.end()
  return { endedMs, groupContext, senderDataSecret, resumptionPsk, secretWidth, ratchetTree }
}

function readLeaves(r: Reader, after: RatchetTree): RatchetTree {
  const width = r.u32()
  if (width > MAX_NODES) throw new WireError('group/tree')
  const tree: RatchetTree = Array.from({ length: width }, (_, place) => (place % 2 === 0 ? after[place] : undefined))
  for (let left = r.u32(); left > 0; left--) {
    const place = r.u32()
    if (place >= width || place % 2 !== 0) throw new WireError('group/tree')
    const bytes = r.block(MAX_ROW_BYTES)
    tree[place] = bytes.length === 0 ? undefined : decodeWhole(decodeNode, bytes, MAX_ROW_BYTES, 'group/node')
    if (tree[place]?.nodeType === 'parent') throw new WireError('group/tree')
  }
  return tree
}

function readContext({ r, suite, epoch }: Head, at: number): GroupContext {
  const context = readBlock(r, decodeGroupContext)
  if (context.cipherSuite !== suiteName(suite)) throw new WireError('group/suite')
  if (Number(context.epoch) !== epoch || epoch !== at) throw new WireError('group/torn')
  return context
}
