import type { ClientState } from 'ts-mls/clientState.js'
import { allSecretTreeValues, consumeRatchet } from 'ts-mls/secretTree.js'
import { directPath, leafToNodeIndex, leafWidth, toLeafIndex } from 'ts-mls/treemath.js'
import { equalBytes } from '../bytes/equal.ts'
import { UsageError } from '../errors.ts'
import type { ChannelContext } from './channel-context.ts'
import { type Group, ownLeafOf, type PastEpoch } from './group.ts'
import { MAX_PAST_EPOCHS } from './leaf.ts'
import { provider } from './provider.ts'

/** MLS12: a past epoch's messages can be opened for so long. */
export const MAX_PAST_MS = 14 * 24 * 60 * 60 * 1000

/**
 * A new epoch: past ones that are too many or too old go, and so do private keys of nodes that are not this leaf's any
 * more. ts-mls forgets both without saying which secrets they were. What is kept is no part of a verdict, so its time is this
 * device's (`nowMs`), not the commit's (`timeMs`), which any member may set.
 */
export function toNextEpoch(
  before: Group,
  state: ClientState,
  context: ChannelContext,
  { timeMs, nowMs }: { readonly timeMs: number; readonly nowMs: number },
): { next: Group; spent: Uint8Array[] } {
  const ended = before.state.groupContext.epoch
  const kept = [...state.historicalReceiverData]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(-MAX_PAST_EPOCHS)
    .filter(([epoch]) => nowMs - endOf(before, epoch, ended, nowMs) <= MAX_PAST_MS)
  const past = kept.map(([epoch]): [bigint, PastEpoch] => [epoch, { endedMs: endOf(before, epoch, ended, nowMs) }])
  const privatePath = { ...state.privatePath, privateKeys: liveKeys(state) }
  const next: Group = {
    ...before,
    state: { ...state, privatePath, historicalReceiverData: new Map(kept) },
    context,
    lastCommitMs: timeMs,
    past: new Map(past),
  }
  return { next, spent: secretsLost(before, next) }
}

/** When the oldest of the past epochs is to be forgotten; undefined while there are none. */
export function pastUntilMs({ past }: Group): number | undefined {
  const ends = [...past.values()].map(({ endedMs }) => endedMs)
  return ends.length === 0 ? undefined : Math.min(...ends) + MAX_PAST_MS + 1
}

/** MLS12 without a commit: past epochs whose time is over go. */
export function forgetPast(group: Group, nowMs: number): { next: Group; spent: readonly Uint8Array[] } {
  const past = new Map([...group.past].filter(([, { endedMs }]) => nowMs - endedMs <= MAX_PAST_MS))
  const historicalReceiverData = new Map([...group.state.historicalReceiverData].filter(([epoch]) => past.has(epoch)))
  const next: Group = { ...group, state: { ...group.state, historicalReceiverData }, past }
  return { next, spent: epochsLost(group, next) }
}

function endOf({ past }: Group, epoch: bigint, ended: bigint, nowMs: number): number {
  return epoch === ended ? nowMs : (past.get(epoch)?.endedMs ?? nowMs)
}

function liveKeys({ privatePath, ratchetTree }: ClientState): Record<number, Uint8Array> {
  const leaf = leafToNodeIndex(toLeafIndex(privatePath.leafIndex))
  const path = [leaf, ...directPath(leaf, leafWidth(ratchetTree.length))].filter(
    (node) => ratchetTree[node] !== undefined,
  )
  return Object.fromEntries(
    path.flatMap((node) => {
      const key = privatePath.privateKeys[node]
      return key === undefined ? [] : [[node, key]]
    }),
  )
}

/** What the old state held and the new one does not: the key schedule, private keys, and epochs that were let go. */
function secretsLost(before: Group, next: Group): Uint8Array[] {
  const { keySchedule, privatePath } = before.state
  const kept = new Set<Uint8Array>(Object.values(next.state.privatePath.privateKeys))
  const { exporterSecret, externalSecret, confirmationKey, membershipKey, epochAuthenticator, initSecret } = keySchedule
  const lost = [exporterSecret, externalSecret, confirmationKey, membershipKey, epochAuthenticator, initSecret]
  lost.push(...Object.values(privatePath.privateKeys).filter((key) => !kept.has(key)))
  return [...lost, ...epochsLost(before, next)]
}

function epochsLost(before: Group, next: Group): Uint8Array[] {
  const gone = [...before.state.historicalReceiverData].filter(([epoch]) => !next.past.has(epoch))
  return gone.flatMap(([, { secretTree, senderDataSecret, resumptionPsk }]) => [
    ...allSecretTreeValues(secretTree),
    senderDataSecret,
    resumptionPsk,
  ])
}

/**
 * Merges a commit of one's own once it is ordered (C-03). Messages were sent and opened since it was staged: the live
 * ratchets become the old epoch's, less the handshake key that the commit was sealed with.
 */
export async function mergeStaged(
  live: Group,
  staged: Group,
  nowMs: number,
): Promise<{ next: Group; spent: readonly Uint8Array[] }> {
  const ended = live.state.groupContext.epoch
  const old = staged.state.historicalReceiverData.get(ended)
  const follows = staged.state.groupContext.epoch === ended + 1n && old !== undefined
  if (
    !follows ||
    !equalBytes(old.groupContext.confirmedTranscriptHash, live.state.groupContext.confirmedTranscriptHash)
  ) {
    throw new UsageError('mls/staged-elsewhere')
  }
  const own = leafToNodeIndex(toLeafIndex(ownLeafOf(live)))
  const taken = await consumeRatchet(live.state.secretTree, own, 'commit', provider(live.suite, { dice: noGuard }))
  const historicalReceiverData = new Map(live.state.historicalReceiverData)
  historicalReceiverData.set(ended, { ...old, ratchetTree: live.state.ratchetTree, secretTree: taken.newTree })
  const { next, spent } = toNextEpoch(live, { ...staged.state, historicalReceiverData }, staged.context, {
    timeMs: staged.lastCommitMs,
    nowMs,
  })
  return { next, spent: [...spent, ...taken.consumed] }
}

/** Nothing is sealed with the key that is taken, so its guard is never seen. */
const noGuard = (length: number) => new Uint8Array(length)
