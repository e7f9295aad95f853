import { equalBytes } from '../bytes/equal.ts'
import { StateError, WireError } from '../errors.ts'
import { contextRow, decodeContext, decodeEpoch, epochRow } from './epoch-rows.ts'
import type { Group, PastEpoch } from './group.ts'
import { changedRatchets, decodeRatchets } from './ratchet-rows.ts'
import type { Signer } from './signer.ts'
import { type GroupRow, head, readHead } from './stored-row.ts'
import { changedNodes, decodeNodes } from './tree-pages.ts'

/**
 * A staged commit's next state, told by what it changes of the live one (MLS16). Without a live group, for a device that comes in by
 * itself, it is all there. After the head, blocks with their 4-byte length:
 *
 *   block   confirmed transcript hash of the epoch that it follows, or empty
 *   block   table of the channel context, when it changes: its row (epoch-rows.ts), or empty
 *   block   row of the new epoch
 *   4B      pages of the tree that are blank from now on, then of each: 4B page
 *   4B      pages put, then of each: 4B page, block row (tree-pages.ts)
 *   4B      rows of the new epoch's secret tree, then of each: 8B number, block row (ratchet-rows.ts)
 */
const MAX_STAGED_BYTES = 64 * 1024 * 1024

export function encodeStaged(next: Group, live?: Group): Uint8Array {
  const { state, context } = next
  const { put, drop } = changedNodes(next, live?.state.ratchetTree)
  const ratchets = changedRatchets(next, state.groupContext.epoch, state.secretTree)
  const w = head(next, state.groupContext.epoch)
    .block(live?.state.groupContext.confirmedTranscriptHash ?? new Uint8Array())
    .block(context === live?.context ? new Uint8Array() : contextRow(next).bytes)
    .block(epochRow(next).bytes)
    .u32(drop.length)
  for (const { at } of drop) w.u32(at)
  w.u32(put.length)
  for (const { at, bytes } of put) w.u32(at).block(bytes)
  w.u32(ratchets.put.length)
  for (const { at, bytes } of ratchets.put) w.u64(at).block(bytes)
  return w.done()
}

/** @throws WireError; StateError 'mls/staged-elsewhere' when it was not staged in the live group's epoch */
export function decodeStaged(bytes: Uint8Array, signer: Signer, live?: Group): Group {
  const { r, suite, epoch } = readHead(bytes, MAX_STAGED_BYTES)
  const follows = r.block(MAX_STAGED_BYTES)
  const here = live?.state.groupContext.confirmedTranscriptHash ?? new Uint8Array()
  if (!equalBytes(follows, here)) throw new StateError('mls/staged-elsewhere')
  const table = r.block(MAX_STAGED_BYTES)
  const context = table.length > 0 || live === undefined ? decodeContext(table) : live.context
  const current = decodeEpoch({ part: 'epochs', at: epoch, bytes: r.block(MAX_STAGED_BYTES) }, context)
  if (current.suite !== suite) throw new WireError('group/torn')

  const many = <T>(read: () => T): T[] => Array.from({ length: r.u32() }, read)
  const drop = many(() => ({ part: 'nodes' as const, at: r.u32() }))
  const put = many((): GroupRow => ({ part: 'nodes', at: r.u32(), bytes: r.block(MAX_STAGED_BYTES) }))
  const ratchets = many((): GroupRow => ({ part: 'ratchets', at: r.u64(), bytes: r.block(MAX_STAGED_BYTES) }))
  r.end()
  const ratchetTree = decodeNodes({ suite }, epoch, current.tree, { put, drop }, live?.state.ratchetTree)
  const secretTree = decodeRatchets({ suite }, epoch, current.secretWidth, ratchets)
  const { historicalReceiverData, past } = endedOf(live, current.lastCommitMs)
  return {
    suite,
    signer,
    state: { ...current.state, ratchetTree, secretTree, historicalReceiverData },
    context,
    lastCommitMs: current.lastCommitMs,
    past,
  }
}

/** The live epoch as the staged commit ends it. */
function endedOf(live: Group | undefined, endedMs: number) {
  if (live === undefined) return { historicalReceiverData: new Map(), past: new Map<bigint, PastEpoch>() }
  const { groupContext, ratchetTree, secretTree, keySchedule } = live.state
  const { senderDataSecret, resumptionPsk } = keySchedule
  const data = { groupContext, ratchetTree, secretTree, senderDataSecret, resumptionPsk }
  return {
    historicalReceiverData: new Map([[groupContext.epoch, data]]),
    past: new Map<bigint, PastEpoch>([[groupContext.epoch, { endedMs }]]),
  }
}
