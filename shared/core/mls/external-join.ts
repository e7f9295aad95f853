import { createGroupInfoWithExternalPub, joinGroupExternal } from 'ts-mls/createCommit.js'
import { equalBytes } from '../bytes/equal.ts'
import { wipe } from '../bytes/wipe.ts'
import { Writer } from '../bytes/writer.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, WireError } from '../errors.ts'
import { type CommitData, encodeCommitData } from './commit-data.ts'
import { checkActive, type Group, type Member, membersOf } from './group.ts'
import { checkMembers, timeOf } from './join-group.ts'
import { decodeJoinTree, encodeJoinTree } from './join-tree.ts'
import { generate } from './key-package.ts'
import { clientConfig } from './leaf.ts'
import { provider } from './provider.ts'
import type { Signer } from './signer.ts'
import { TIME_EXTENSION } from './stage-commit.ts'
import { suiteOfName } from './suite.ts'
import { decodeMessage, encodeMessage, guarded } from './wire.ts'

export type GroupInfo = { readonly groupInfo: Uint8Array; readonly tree: Uint8Array }

/** What a device of a member account needs to come in by itself (C-07). Whoever sends it on seals it. */
export async function exportGroupInfo(group: Group): Promise<GroupInfo> {
  checkActive(group)
  const cs = provider(group.suite, { signer: group.signer })
  const time = { extensionType: TIME_EXTENSION, extensionData: new Writer().u64(group.lastCommitMs).done() }
  const groupInfo = await guarded('mls/group-info', () => createGroupInfoWithExternalPub(group.state, [time], cs))
  return { groupInfo: encodeMessage({ wireformat: 'mls_group_info', groupInfo }), tree: encodeJoinTree(group) }
}

/** Who is in the group that a GroupInfo is of. Nothing is verified before `rejoinGroup`. @throws WireError, CryptoError */
export function membersIn({ groupInfo, tree }: GroupInfo): readonly Member[] {
  const { groupContext } = decodeGroupInfo(groupInfo)
  const { ratchetTree, context } = decodeJoinTree(tree, suiteOfName(groupContext.cipherSuite))
  return membersOf(ratchetTree, context)
}

export type RejoinInput = GroupInfo & {
  readonly groupId?: Uint8Array // of the group that this device knows the channel by
  readonly signer: Signer
  readonly certificate: Uint8Array
  /** Its one manifest is this device's account's. */
  readonly authenticatedData: CommitData
}

/**
 * Stages an external commit: this device's new leaf, in place of its old one if that is still there. `next` is the group once the commit is
 * ordered; if another one is ordered first it is dropped, and a newer GroupInfo asked for.
 * @throws WireError, CryptoError
 */
export async function rejoinGroup(input: RejoinInput, dice: Dice): Promise<{ commit: Uint8Array; next: Group }> {
  const { signer, certificate } = input
  const groupInfo = decodeGroupInfo(input.groupInfo)
  const { groupId = groupInfo.groupContext.groupId } = input
  if (!equalBytes(groupInfo.groupContext.groupId, groupId)) throw new CryptoError('mls/policy/group-id')
  const suite = suiteOfName(groupInfo.groupContext.cipherSuite)
  const { ratchetTree: tree, context } = decodeJoinTree(input.tree, suite)
  const timeMs = timeOf(groupInfo.extensions) // MLS8
  const cs = provider(suite, { dice, signer })
  const { ring: _, ...keyless } = signer // the commit's path brings other keys: these are never used
  const made = await generate({ suite, signer: keyless, certificate, nowMs: timeMs, lifetimeMs: 1000 }, dice)
  wipe(made.privatePackage.initPrivateKey, made.privatePackage.hpkePrivateKey)
  const isOwn = (node: (typeof tree)[number]) =>
    node?.nodeType === 'leaf' &&
    clientConfig.keyPackageEqualityConfig.compareKeyPackageToLeafNode(made.publicPackage, node.leaf)
  const data = encodeCommitData({ ...input.authenticatedData, timeMs })
  const { publicMessage, newState } = await guarded('mls/group-info', () =>
    joinGroupExternal(
      groupInfo,
      made.publicPackage,
      made.privatePackage,
      tree.some(isOwn),
      cs,
      tree,
      clientConfig,
      data,
    ),
  )
  const next: Group = { suite, signer, state: newState, context, lastCommitMs: timeMs, past: new Map() }
  checkMembers(next)
  return { commit: encodeMessage({ wireformat: 'mls_public_message', publicMessage }), next }
}

function decodeGroupInfo(bytes: Uint8Array) {
  const message = decodeMessage(bytes)
  if (message.wireformat !== 'mls_group_info') throw new WireError('mls/group-info')
  return message.groupInfo
}
