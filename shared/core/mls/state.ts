import type { ClientState } from 'ts-mls/clientState.js'
import { type Encoder, encode } from 'ts-mls/codec/tlsEncoder.js'
import type { EpochReceiverData } from 'ts-mls/epochReceiverData.js'
import { decodeGroupActiveState, groupActiveStateEncoder } from 'ts-mls/groupActiveState.js'
import { decodeGroupContext, type GroupContext, groupContextEncoder } from 'ts-mls/groupContext.js'
import { decodeKeySchedule, keyScheduleEncoder } from 'ts-mls/keySchedule.js'
import { decodePrivateKeyPath, privateKeyPathEncoder } from 'ts-mls/privateKeyPath.js'
import type { RatchetTree } from 'ts-mls/ratchetTree.js'
import { decodeSecretTree, type SecretTree, secretTreeEncoder } from 'ts-mls/secretTree.js'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { type ChannelContext, decodeChannelContext, encodeChannelContext } from './channel-context.ts'
import type { Group, PastEpoch } from './group.ts'
import { clientConfig, MAX_PAST_EPOCHS } from './leaf.ts'
import type { Signer } from './signer.ts'
import { type SuiteId, suiteName, toSuiteId } from './suite.ts'
import { decodeTrees, encodeTrees } from './tree-store.ts'
import { decodeWhole } from './wire.ts'

/**
 * A group as it lies on disk (MLS16), split by how often it changes. Each part begins with 1B version, 2B suite, 8B epoch.
 *
 *   tree      the ratchet trees of this epoch and of the past ones, each node once (tree-store.ts)
 *   epoch     key schedule, private keys of the path, and what opens late messages of past epochs
 *   ratchets  this epoch's secret tree; of past ones those that changed since the epoch began
 *
 * A commit changes all three, a message the last alone.
 */
export type GroupParts = { readonly tree: Uint8Array; readonly epoch: Uint8Array; readonly ratchets: Uint8Array }

const VERSION = 0x01
const MAX_TREE_BYTES = 64 * 1024 * 1024
const MAX_BYTES = 16 * 1024 * 1024

const encodeContext = encode(groupContextEncoder)
const encodeSchedule = encode(keyScheduleEncoder)
const encodePath = encode(privateKeyPathEncoder)
const encodeActive = encode(groupActiveStateEncoder)
const encodeSecrets: Encoder<SecretTree> = encode(secretTreeEncoder)

export function encodeGroup(group: Group): GroupParts {
  const past = pastOf(group)
  const trees = [group.state.ratchetTree, ...past.map(([, data]) => data.ratchetTree).reverse()]
  return {
    tree: encodeTrees(head(group), trees).done(),
    epoch: encodeEpoch(group, past),
    ratchets: encodeChanged(group, past),
  }
}

/** All that a message changes. */
export function encodeRatchets(group: Group): Uint8Array {
  return encodeChanged(group, pastOf(group))
}

/** By epoch ascending. */
function pastOf({ state }: Group): [bigint, EpochReceiverData][] {
  return [...state.historicalReceiverData].sort(([a], [b]) => (a < b ? -1 : 1))
}

function head({ suite, state }: Group): Writer {
  return new Writer().u8(VERSION).u16(suite).u64(state.groupContext.epoch)
}

function encodeEpoch(group: Group, past: readonly [bigint, EpochReceiverData][]): Uint8Array {
  const { state, context, lastCommitMs } = group
  const w = head(group)
    .block(encodeChannelContext(context))
    .block(encodeContext(state.groupContext))
    .block(encodeSchedule(state.keySchedule))
    .block(encodePath(state.privatePath))
    .block(state.confirmationTag)
    .block(encodeActive(state.groupActiveState))
    .u64(lastCommitMs)
    .u8(past.length)
  for (const [epoch, data] of past) {
    w.u64(epoch)
      .u64(group.past.get(epoch)?.endedMs ?? lastCommitMs)
      .block(encodeContext(data.groupContext))
      .block(data.senderDataSecret)
      .block(data.resumptionPsk)
      .block(encodeSecrets(data.secretTree))
  }
  return w.done()
}

function encodeChanged(group: Group, past: readonly [bigint, EpochReceiverData][]): Uint8Array {
  const changed = past.filter(([epoch, { secretTree }]) => group.past.get(epoch)?.stored !== secretTree)
  const w = head(group).block(encodeSecrets(group.state.secretTree)).u8(changed.length)
  for (const [epoch, { secretTree }] of changed) w.u64(epoch).block(encodeSecrets(secretTree))
  return w.done()
}

/** @throws WireError for parts that do not parse, or are not of one and the same epoch */
export function decodeGroup(parts: GroupParts, signer: Signer): Group {
  const tree = readHead(parts.tree, MAX_TREE_BYTES)
  const epoch = readHead(parts.epoch, MAX_BYTES)
  const ratchets = readHead(parts.ratchets, MAX_BYTES)
  const isTorn = [tree, ratchets].some((part) => part.suite !== epoch.suite || part.epoch !== epoch.epoch)
  if (isTorn) throw new WireError('group/torn')

  const [current, ...older] = decodeTrees(tree.r)
  if (current === undefined) throw new WireError('group/tree')
  const { state, context, lastCommitMs, past } = decodeEpoch(epoch.r, epoch.suite, current, older.reverse())
  const { secretTree, changed } = decodeRatchets(ratchets.r)
  const historicalReceiverData = new Map(
    past.map(([at, data]): [bigint, EpochReceiverData] => [
      at,
      { ...data, secretTree: changed.get(at) ?? data.secretTree },
    ]),
  )
  return {
    suite: epoch.suite,
    signer,
    state: { ...state, secretTree, historicalReceiverData },
    context,
    lastCommitMs,
    past: new Map(past.map(([at, { endedMs, secretTree: stored }]): [bigint, PastEpoch] => [at, { endedMs, stored }])),
  }
}

function readHead(bytes: Uint8Array, maxBytes: number): { r: Reader; suite: SuiteId; epoch: number } {
  const r = new Reader(bytes, maxBytes)
  if (r.u8() !== VERSION) throw new WireError('group/version')
  return { r, suite: toSuiteId(r.u16()), epoch: r.u64() }
}

type PastData = EpochReceiverData & { readonly endedMs: number }
type DecodedEpoch = {
  readonly state: Omit<ClientState, 'secretTree' | 'historicalReceiverData'>
  readonly context: ChannelContext
  readonly lastCommitMs: number
  readonly past: readonly [bigint, PastData][]
}

function decodeEpoch(r: Reader, suite: SuiteId, ratchetTree: RatchetTree, older: readonly RatchetTree[]): DecodedEpoch {
  const context = decodeChannelContext(r.block(MAX_BYTES))
  const groupContext = readContext(r, suite)
  const keySchedule = read(r, decodeKeySchedule)
  const privatePath = read(r, decodePrivateKeyPath)
  const confirmationTag = r.block(MAX_BYTES)
  const groupActiveState = read(r, decodeGroupActiveState)
  const lastCommitMs = r.u64()
  const count = r.u8()
  if (count > MAX_PAST_EPOCHS || count !== older.length) throw new WireError('group/past')
  const past = older.map((ratchetTree): [bigint, PastData] => [
    BigInt(r.u64()),
    {
      endedMs: r.u64(),
      ratchetTree,
      groupContext: readContext(r, suite),
      senderDataSecret: r.block(MAX_BYTES),
      resumptionPsk: r.block(MAX_BYTES),
      secretTree: read(r, decodeSecretTree),
    },
  ])
  r.end()
  const fixed = { clientConfig, signaturePrivateKey: new Uint8Array(), unappliedProposals: {} }
  const state = { ...fixed, groupContext, keySchedule, privatePath, confirmationTag, groupActiveState, ratchetTree }
  return { state, context, lastCommitMs, past }
}

function decodeRatchets(r: Reader): { secretTree: SecretTree; changed: ReadonlyMap<bigint, SecretTree> } {
  const secretTree = read(r, decodeSecretTree)
  const changed = new Map<bigint, SecretTree>()
  for (let left = r.u8(); left > 0; left--) changed.set(BigInt(r.u64()), read(r, decodeSecretTree))
  r.end()
  return { secretTree, changed }
}

function readContext(r: Reader, suite: SuiteId): GroupContext {
  const context = read(r, decodeGroupContext)
  if (context.cipherSuite !== suiteName(suite)) throw new WireError('group/suite')
  return context
}

function read<T>(r: Reader, decode: (bytes: Uint8Array, offset: number) => [T, number] | undefined): T {
  return decodeWhole(decode, r.block(MAX_BYTES), MAX_BYTES, 'group/part')
}
