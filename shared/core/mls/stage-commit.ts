import { createCommit } from 'ts-mls/createCommit.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { emptyPskIndex, type PskIndex } from 'ts-mls/pskIndex.js'
import { consumeRatchet } from 'ts-mls/secretTree.js'
import { leafToNodeIndex, toLeafIndex } from 'ts-mls/treemath.js'
import type { Welcome } from 'ts-mls/welcome.js'
import { Writer } from '../bytes/writer.ts'
import type { Dice } from '../crypto/random.ts'
import { UsageError } from '../errors.ts'
import { checkManifest } from '../identity/manifest.ts'
import type { AccountId } from '../wire/ids.ts'
import { toNextEpoch } from './advance.ts'
import { type ChannelContext, changeContext, type Role, toExtension } from './channel-context.ts'
import { type CommitData, encodeCommitData } from './commit-data.ts'
import { checkActive, type Group, members, ownLeafOf } from './group.ts'
import { encodeJoinTree } from './join-tree.ts'
import { goneAccounts, judgeCommit } from './judge-commit.ts'
import { decodeKeyPackageMessage } from './key-package.ts'
import { certificateOf } from './leaf.ts'
import type { ProfileChange } from './profile.ts'
import { provider } from './provider.ts'
import type { SpaceChange } from './space.ts'
import { encodeMessage, guarded } from './wire.ts'

/** In the welcome's GroupInfo: the time of the commit that it came with, by which the joiner judges the next one (MLS8). */
export const TIME_EXTENSION = 0xf0a2

export type CommitInput = {
  readonly adds: readonly Uint8Array[]
  readonly removes: readonly number[]
  readonly roles?: readonly { readonly account: AccountId; readonly role: Role }[]
  readonly profile?: ProfileChange
  readonly space?: SpaceChange
  readonly authenticatedData: CommitData
}

export type StagedCommit = {
  readonly commit: Uint8Array
  readonly next: Group
  /** One for each new device, without the tree: that goes to all of them as `tree`, which is empty when there is none. */
  readonly welcomes: readonly { readonly keyPackageRef: Uint8Array; readonly welcome: Uint8Array }[]
  readonly tree: Uint8Array
}

/**
 * Stages a commit (C-03). Without changes it is an update: new keys for this device, and a healthier tree. The live group
 * stays as it is and goes on until the relay has ordered the commit; then `mergeStaged`. What the commit spends is live
 * until then, so nothing is returned to be wiped.
 * @throws CryptoError 'mls/policy/<rule>' when members would refuse it
 */
export async function stageCommit(group: Group, input: CommitInput, dice: Dice): Promise<StagedCommit> {
  const { roles = [], profile, space, authenticatedData } = input
  const manifests = await Promise.all(authenticatedData.manifests.map((bytes) => checkManifest(bytes)))
  const keyPackages = input.adds.map(decodeKeyPackageMessage)
  const added = keyPackages.map(({ leafNode }) => certificateOf(leafNode.credential))
  const removed = members(group).filter(({ leaf }) => input.removes.includes(leaf))
  const gone = goneAccounts(group, removed, added)
  const after = changeContext(group.context, { roles, manifests, profile, space, gone })
  const proposals: Proposal[] = [
    ...keyPackages.map((keyPackage): Proposal => ({ proposalType: 'add', add: { keyPackage } })),
    ...input.removes.map((leaf): Proposal => ({ proposalType: 'remove', remove: { removed: leaf } })),
  ]
  if (after !== group.context) {
    const extensions = [toExtension(after)]
    proposals.push({ proposalType: 'group_context_extensions', groupContextExtensions: { extensions } })
  }
  const changed = { ...(profile === undefined ? {} : { profile }), ...(space === undefined ? {} : { space }) }
  const data = { ...authenticatedData, roles, ...changed }
  return stageProposals(group, proposals, data, dice)
}

/**
 * A staged commit that the relay refuses for good is let go: the handshake key that sealed it goes with it, so that the
 * next one in this epoch is sealed with another (I-04).
 */
export async function discardStaged(live: Group): Promise<{ next: Group; spent: readonly Uint8Array[] }> {
  const own = leafToNodeIndex(toLeafIndex(ownLeafOf(live)))
  const cs = provider(live.suite, { dice: (length) => new Uint8Array(length) }) // nothing is sealed with it
  const taken = await consumeRatchet(live.state.secretTree, own, 'commit', cs)
  return { next: { ...live, state: { ...live.state, secretTree: taken.newTree } }, spent: taken.consumed }
}

/** Judged as every member will judge it, then made. */
export async function stageProposals(
  group: Group,
  proposals: Proposal[],
  authenticatedData: CommitData,
  dice: Dice,
): Promise<StagedCommit> {
  checkActive(group)
  // MLS8: a clock that is behind does not make this one void, and one that is ahead takes nobody's key packages their life.
  const adds = proposals.some(({ proposalType }) => proposalType === 'add')
  const timeMs = adds ? Math.max(authenticatedData.timeMs, group.lastCommitMs) : group.lastCommitMs
  const data = { ...authenticatedData, timeMs }
  const { context } = await judgeCommit(group, { sender: ownLeafOf(group), proposals, pathLeaf: undefined, data })
  return makeCommit(group, proposals, { data, context }, dice)
}

export async function makeCommit(
  group: Group,
  extraProposals: Proposal[],
  { data, context }: { readonly data: CommitData; readonly context: ChannelContext },
  dice: Dice,
  pskIndex: PskIndex = emptyPskIndex,
): Promise<StagedCommit> {
  const cipherSuite = provider(group.suite, { dice, signer: group.signer })
  const time = new Writer().u64(data.timeMs).done()
  const made = await guarded('mls/commit', () =>
    createCommit(
      { state: group.state, cipherSuite, pskIndex },
      {
        extraProposals,
        authenticatedData: encodeCommitData(data),
        groupInfoExtensions: [{ extensionType: TIME_EXTENSION, extensionData: time }],
      },
    ),
  )
  if (made.commit.wireformat !== 'mls_private_message') throw new UsageError('mls/commit-format')
  const { next } = toNextEpoch(group, made.newState, context, { timeMs: data.timeMs, nowMs: data.timeMs })
  return {
    commit: encodeMessage({ wireformat: 'mls_private_message', privateMessage: made.commit.privateMessage }),
    next,
    welcomes: made.welcome === undefined ? [] : split(made.welcome),
    tree: made.welcome === undefined ? new Uint8Array() : encodeJoinTree(next),
  }
}

/** A device gets its own secrets alone: who else was added is not its relay's to count. */
function split({ secrets, ...shared }: Welcome): StagedCommit['welcomes'] {
  return secrets.map((own) => ({
    keyPackageRef: own.newMember,
    welcome: encodeMessage({ wireformat: 'mls_welcome', welcome: { ...shared, secrets: [own] } }),
  }))
}
