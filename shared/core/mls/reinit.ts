import { createGroup as createMlsGroup, makePskIndex } from 'ts-mls/clientState.js'
import type { PreSharedKeyID } from 'ts-mls/presharedkey.js'
import type { Proposal } from 'ts-mls/proposal.js'
import type { PskIndex } from 'ts-mls/pskIndex.js'
import { equalBytes } from '../bytes/equal.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, StateError } from '../errors.ts'
import { checkManifest } from '../identity/manifest.ts'
import { changeContext, isExtensionOf, toExtension } from './channel-context.ts'
import type { CommitData } from './commit-data.ts'
import { type Group, members, ownLeafOf, type Successor, successorOf } from './group.ts'
import { type JoinInput, joinWith } from './join-group.ts'
import { judgeCommit } from './judge-commit.ts'
import { decodeKeyPackageMessage, generateLeaf } from './key-package.ts'
import { clientConfig } from './leaf.ts'
import { provider } from './provider.ts'
import { makeCommit, type StagedCommit, stageProposals } from './stage-commit.ts'
import { suiteName } from './suite.ts'

/**
 * A channel goes over to another suite by ReInit (MLS20, RFC 9420 section 11.2): an owner's commit ends the group and names its successor;
 * one member makes that one, with everybody's key packages of the new suite, and binds it to the old one's last
 * epoch by its resumption secret. Nobody but an owner can make a channel weaker, and nobody can slip another group in.
 */
export type ReinitInput = { readonly successor: Successor; readonly authenticatedData: CommitData }

/** The commit's manifests are those that the successor's adds will carry: its context is fixed here. */
export async function stageReinit(group: Group, input: ReinitInput, dice: Dice): Promise<StagedCommit> {
  const { groupId, suite } = input.successor
  const manifests = await Promise.all(input.authenticatedData.manifests.map((bytes) => checkManifest(bytes)))
  const extensions = [toExtension(changeContext(group.context, { manifests }))]
  const reinit = { groupId, version: 'mls10' as const, cipherSuite: suiteName(suite), extensions }
  return stageProposals(group, [{ proposalType: 'reinit', reinit }], input.authenticatedData, dice)
}

export type SuccessorInput = {
  readonly certificate: Uint8Array
  readonly adds: readonly Uint8Array[]
  readonly authenticatedData: CommitData
}

/**
 * Makes the successor and adds the others to it, in its first commit, which nobody else has to process: `next` is
 * the new group.
 * @throws StateError 'mls/not-succeeded' before the ReInit is merged
 */
export async function createSuccessor(old: Group, input: SuccessorInput, dice: Dice): Promise<StagedCommit> {
  if (old.state.groupActiveState.kind !== 'suspendedPendingReinit') throw new StateError('mls/not-succeeded')
  const { groupId, extensions } = old.state.groupActiveState.reinit
  const { suite } = successorOf(old) ?? { suite: old.suite }
  const { signer } = old
  const data = { ...input.authenticatedData, timeMs: Math.max(input.authenticatedData.timeMs, old.lastCommitMs) }
  const { certificate } = input
  const own = await generateLeaf({ suite, signer, certificate, nowMs: data.timeMs }, dice)
  const keys = own.privatePackage
  const cs = provider(suite, { dice, signer })
  const state = await createMlsGroup(groupId, own.publicPackage, keys, extensions, cs, clientConfig)
  const manifests = await Promise.all(data.manifests.map((bytes) => checkManifest(bytes)))
  const context = changeContext(old.context, { manifests })
  if (!isExtensionOf(extensions, context)) throw new CryptoError('mls/policy/context')
  const group: Group = { suite, signer, state, context, lastCommitMs: data.timeMs, past: new Map() }

  const adds = input.adds.map(
    (bytes): Proposal => ({ proposalType: 'add', add: { keyPackage: decodeKeyPackageMessage(bytes) } }),
  )
  await judgeCommit(group, { sender: ownLeafOf(group), proposals: adds, pathLeaf: undefined, data })
  const preSharedKeyId: PreSharedKeyID = {
    psktype: 'resumption',
    usage: 'reinit',
    pskGroupId: old.state.groupContext.groupId,
    pskEpoch: old.state.groupContext.epoch,
    pskNonce: dice(cs.kdf.size),
  }
  const proposals: Proposal[] = [...adds, { proposalType: 'psk', psk: { preSharedKeyId } }]
  return makeCommit(group, proposals, { data, context }, dice, makePskIndex(old.state, {}))
}

/** @throws CryptoError 'mls/policy/successor' when it is not bound to the old group, or has somebody who was not there */
export async function joinSuccessor(old: Group, input: JoinInput): Promise<Group> {
  if (successorOf(old) === undefined) throw new StateError('mls/not-succeeded')
  const { psks, wasAsked } = watched(old)
  const group = await joinWith(input, psks, old.state)
  const before = members(old)
  const isStranger = ({ account, deviceId }: (typeof before)[number]) =>
    !before.some((member) => equalBytes(member.account, account) && equalBytes(member.deviceId, deviceId))
  if (!wasAsked() || members(group).some(isStranger)) throw new CryptoError('mls/policy/successor')
  return group
}

/** ts-mls checks a resumption secret where there is one; here there must be one. */
function watched({ state }: Group): { psks: PskIndex; wasAsked: () => boolean } {
  const inner = makePskIndex(state, {})
  let asked = false
  const findPsk = (id: PreSharedKeyID) => {
    asked ||= id.psktype === 'resumption' && id.usage === 'reinit'
    return inner.findPsk(id)
  }
  return { psks: { findPsk }, wasAsked: () => asked }
}
