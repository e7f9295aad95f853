import type { ClientState } from 'ts-mls/clientState.js'
import type { EpochReceiverData } from 'ts-mls/epochReceiverData.js'
import type { RatchetTree } from 'ts-mls/ratchetTree.js'
import type { SecretTree } from 'ts-mls/secretTree.js'
import { WireError } from '../errors.ts'
import { CONTEXT_AT, contextRow, decodeContext, decodeEpoch, decodePast, epochRow, pastRow } from './epoch-rows.ts'
import type { Group, PastEpoch } from './group.ts'
import { MAX_PAST_EPOCHS } from './leaf.ts'
import { changedRatchets, decodeRatchets, epochAt, ratchetNames } from './ratchet-rows.ts'
import type { Signer } from './signer.ts'
import type { GroupChange, GroupRow } from './stored-row.ts'
import { changedNodes, decodeNodes } from './tree-pages.ts'

/**
 * The rows to put and to drop so that what holds `stored` holds `group` (MLS16), all of them in one transaction. `stored` is the very
 * value that was written or read last; without it, everything is put. A message costs two or three small rows, a commit
 * the pages of one path and a row of its epoch.
 */
export function encodeGroup(group: Group, stored?: Group): GroupChange {
  const nodes = changedNodes(group, stored?.state.ratchetTree)
  const put = [...epochsChanged(group, stored), ...nodes.put]
  const drop = [...nodes.drop]
  const before = stored === undefined ? new Map<bigint, SecretTree>() : secretTreesOf(stored)
  const after = secretTreesOf(group)
  for (const [epoch, secretTree] of after) {
    const ratchets = changedRatchets(group, epoch, secretTree, before.get(epoch))
    put.push(...ratchets.put)
    drop.push(...ratchets.drop)
  }
  for (const [epoch, secretTree] of before) {
    if (!after.has(epoch)) drop.push({ part: 'epochs', at: Number(epoch) }, ...ratchetNames(epoch, secretTree))
  }
  return { put, drop }
}

function secretTreesOf({ state }: Group): Map<bigint, SecretTree> {
  const trees = new Map([...state.historicalReceiverData].map(([epoch, { secretTree }]) => [epoch, secretTree]))
  return trees.set(state.groupContext.epoch, state.secretTree)
}

/** By epoch ascending. */
function pastOf({ state }: Group): [bigint, EpochReceiverData][] {
  return [...state.historicalReceiverData].sort(([a], [b]) => (a < b ? -1 : 1))
}

function epochsChanged(group: Group, stored: Group | undefined): GroupRow[] {
  const rows: GroupRow[] = []
  if (group.context !== stored?.context) rows.push(contextRow(group))
  if (stored === undefined || !sameEpoch(group, stored)) rows.push(epochRow(group))
  const past = pastOf(group)
  for (const [i, [epoch, data]] of past.entries()) {
    const before = stored?.state.historicalReceiverData.get(epoch)
    const after = past[i + 1]?.[1].ratchetTree ?? group.state.ratchetTree
    if (before?.groupContext !== data.groupContext) rows.push(pastRow(group, epoch, data, after))
  }
  return rows
}

const CHANGING = ['groupContext', 'keySchedule', 'privatePath', 'confirmationTag', 'groupActiveState'] as const

function sameEpoch(group: Group, stored: Group): boolean {
  return CHANGING.every((name) => group.state[name] === stored.state[name])
}

/** @throws WireError for rows that do not parse, or are not of one and the same state */
export function decodeGroup(rows: readonly GroupRow[], signer: Signer): Group {
  const of = (part: GroupRow['part']) => rows.filter((row) => row.part === part).sort((a, b) => b.at - a.at)
  const [current, ...epochs] = of('epochs') // newest first
  const table = epochs.pop()
  if (current === undefined || table?.at !== CONTEXT_AT) throw new WireError('group/torn')
  const context = decodeContext(table.bytes)
  const { suite, epoch, state, lastCommitMs, tree, secretWidth } = decodeEpoch(current, context)
  const ratchetTree = decodeNodes({ suite }, epoch, tree, { put: of('nodes'), drop: [] })

  const ratchets = new Map<number, GroupRow[]>()
  for (const row of of('ratchets')) ratchets.set(epochAt(row.at), [...(ratchets.get(epochAt(row.at)) ?? []), row])
  const secretTreeOf = (at: number, width: number) => {
    const found = ratchets.get(at) ?? []
    ratchets.delete(at)
    return decodeRatchets({ suite }, at, width, found)
  }
  const secretTree = secretTreeOf(epoch, secretWidth)
  const past = decodePastEpochs(epochs, epoch, ratchetTree).map(([at, { endedMs, secretWidth, ...data }]) => ({
    at: BigInt(at),
    endedMs,
    data: { ...data, secretTree: secretTreeOf(at, secretWidth) },
  }))
  if (ratchets.size > 0) throw new WireError('group/torn')
  const historicalReceiverData = new Map(past.map(({ at, data }) => [at, data]))
  const whole: ClientState = { ...state, ratchetTree, secretTree, historicalReceiverData }
  const ended = new Map(past.map(({ at, endedMs }): [bigint, PastEpoch] => [at, { endedMs }]))
  return { suite, signer, state: whole, context, lastCommitMs, past: ended }
}

/** Newest first, without a gap: the leaves of each are told by those of the next. */
function decodePastEpochs(rows: readonly GroupRow[], current: number, tree: RatchetTree) {
  if (rows.length > MAX_PAST_EPOCHS) throw new WireError('group/past')
  let after = tree
  return rows.map((row, i): [number, ReturnType<typeof decodePast>] => {
    if (row.at !== current - 1 - i) throw new WireError('group/torn')
    const data = decodePast(row, after)
    after = data.ratchetTree
    return [row.at, data]
  })
}

export type { GroupChange, GroupPart, GroupRow, RowName } from './stored-row.ts'
