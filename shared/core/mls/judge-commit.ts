import type { Extension } from 'ts-mls/extension.js'
import type { KeyPackage } from 'ts-mls/keyPackage.js'
import type { LeafNode } from 'ts-mls/leafNode.js'
import type { Proposal, Reinit } from 'ts-mls/proposal.js'
import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import { CryptoError } from '../errors.ts'
import { sameDevice } from '../identity/certificate.ts'
import { checkManifest, type Manifest } from '../identity/manifest.ts'
import type { AccountId, DeviceId } from '../wire/ids.ts'
import { type ChannelContext, changeContext, entryOf, isExtensionOf, isSound } from './channel-context.ts'
import type { CommitData } from './commit-data.ts'
import { findDevice, type Group, leafAt, type Member, memberAt, members, type Successor, successorOf } from './group.ts'
import { checkKeyPackageShape, isAlive } from './key-package.ts'
import { certificateOf, checkLeafShape } from './leaf.ts'
import type { ProfileChange } from './profile.ts'
import { changeSpace } from './space.ts'
import { suiteOfName } from './suite.ts'

/**
 * MLS5: a verdict on a commit depends on the group's state and the commit's bytes alone, so that honest members never
 * disagree. No clock, no store, nothing that one member knows and another does not.
 */
export type CommitClaim = {
  readonly sender: number
  readonly proposals: readonly Proposal[]
  readonly pathLeaf: LeafNode | undefined
  readonly data: CommitData
}
export type Judged = {
  readonly from: { readonly account: AccountId; readonly deviceId: DeviceId }
  readonly added: readonly { readonly account: AccountId; readonly deviceId: DeviceId }[]
  readonly removed: readonly Member[]
  readonly data: CommitData
  /** Those of the data, checked. */
  readonly manifests: readonly Manifest[]
  /** The table as it is after the commit. */
  readonly context: ChannelContext
  /** The group that takes over from this one (MLS20). */
  readonly successor?: Successor
}

/** @throws CryptoError 'mls/policy/<rule>' for a commit that every member refuses: it is void */
export async function judgeCommit(group: Group, { sender, proposals, pathLeaf, data }: CommitClaim): Promise<Judged> {
  const { context } = group
  const from = memberAt(group.state.ratchetTree, sender, context)
  const { adds, removes, extensions, reinits } = sorted(proposals)

  if (successorOf(group) !== undefined) refuse('succeeded') // MLS20
  const isTime = adds.length > 0 ? data.timeMs >= group.lastCommitMs : data.timeMs === group.lastCommitMs
  if (!isTime) refuse('time') // MLS8
  const manifests = await checkManifests(context, data)
  if (pathLeaf !== undefined) checkUpdated(group, sender, pathLeaf)
  if (reinits.length > 0) {
    if (proposals.length > 1) refuse('reinit-alone')
    const successor = checkReinit(group, from, reinits, manifests)
    return { from, added: [], removed: [], data, manifests, context, successor }
  }
  const removed = removes.map((leaf) => checkRemove(group, context, from, leaf, manifests))
  for (const keyPackage of adds) checkAdd(group, context, from, keyPackage, { data, manifests, removed })
  const added = adds.map(({ leafNode }) => {
    const { account, deviceId } = certificateOf(leafNode.credential)
    return { account, deviceId }
  })
  const gone = goneAccounts(group, removed, added)
  const after = checkContext(group, from, { extensions, data, manifests, gone })
  return { from, added, removed, data, manifests, context: after }
}

/** MLS7: adds, removes and one change of context, or a ReInit; all by value: what is referred to, not all may have. */
function sorted(proposals: readonly Proposal[]) {
  const adds: KeyPackage[] = []
  const removes: number[] = []
  const extensions: Extension[][] = []
  const reinits: Reinit[] = []
  for (const proposal of proposals) {
    if (proposal.proposalType === 'add') adds.push(proposal.add.keyPackage)
    else if (proposal.proposalType === 'remove') removes.push(proposal.remove.removed)
    else if (proposal.proposalType === 'group_context_extensions') {
      extensions.push(proposal.groupContextExtensions.extensions)
    } else if (proposal.proposalType === 'reinit') reinits.push(proposal.reinit)
    else refuse('proposal')
  }
  return { adds, removes, extensions, reinits }
}

/** MLS20: an owner's hand, one of our suites, a group of its own, and the very context that this one would have. */
function checkReinit(
  { state, context }: Group,
  from: Member,
  [reinit]: readonly Reinit[],
  manifests: readonly Manifest[],
): Successor {
  if (reinit === undefined || from.role !== 'owner') refuse('role-reinit')
  const { groupId, version, extensions } = reinit
  const isOther =
    groupId.length === state.groupContext.groupId.length && !equalBytes(groupId, state.groupContext.groupId)
  if (version !== 'mls10' || !isOther) refuse('reinit')
  const after = changeContext(context, { manifests })
  if (!isSound(after) || !isExtensionOf(extensions, after)) refuse('context')
  try {
    return { groupId, suite: suiteOfName(reinit.cipherSuite) }
  } catch (cause) {
    throw new CryptoError('mls/policy/suite', { cause })
  }
}

/** MLS11: signed by their accounts, one of each, none older than the group has seen. */
export async function checkManifests(context: ChannelContext, { manifests }: CommitData): Promise<readonly Manifest[]> {
  const checked: Manifest[] = []
  for (const bytes of manifests) {
    const manifest = await manifestOf(bytes)
    if (checked.some(({ account }) => equalBytes(account, manifest.account))) refuse('manifest-twice')
    if (manifest.sequence < entryOf(context, manifest.account).sequence) refuse('manifest-older')
    checked.push(manifest)
  }
  return checked
}

async function manifestOf(bytes: Uint8Array): Promise<Manifest> {
  try {
    return await checkManifest(bytes)
  } catch (cause) {
    throw new CryptoError('mls/policy/manifest', { cause })
  }
}

/** MLS2: account, device and signing key never change; the certificate may be replaced by a later one. */
function checkUpdated({ state, suite }: Group, sender: number, pathLeaf: LeafNode): void {
  const before = certificateOf(leafAt(state.ratchetTree, sender).credential)
  const after = certificateOf(pathLeaf.credential)
  const replaced = after.sequence > before.sequence || equalBytes(after.signature, before.signature)
  if (!sameDevice(before, after) || !replaced) refuse('identity-change')
  if (!equalBytes(pathLeaf.signaturePublicKey, before.signatureKey)) refuse('identity-change')
  checkLeafShape(pathLeaf, suite)
}

/** MLS13: owners remove anybody, admins members, everybody their own devices and those that a manifest revokes. */
function checkRemove(
  { state }: Group,
  context: ChannelContext,
  from: Member,
  leaf: number,
  manifests: readonly Manifest[],
): Member {
  if (state.ratchetTree[2 * leaf]?.nodeType !== 'leaf') refuse('remove-nobody')
  if (leaf === from.leaf) refuse('remove-self')
  const gone = memberAt(state.ratchetTree, leaf, context)
  const own = equalBytes(gone.account, from.account)
  const mayRemove = own || from.role === 'owner' || (from.role === 'admin' && gone.role === 'member')
  if (!mayRemove && !isRevoked(gone, manifests)) refuse('role-remove')
  return gone
}

function isRevoked({ account, deviceId }: Member, manifests: readonly Manifest[]): boolean {
  const manifest = manifests.find((one) => equalBytes(one.account, account))
  return manifest !== undefined && listed(manifest, deviceId) === undefined
}

export function listed({ devices }: Manifest, deviceId: DeviceId) {
  return devices.find(({ certificate }) => equalBytes(certificate.deviceId, deviceId))?.certificate
}

type AddContext = {
  readonly data: CommitData
  readonly manifests: readonly Manifest[]
  readonly removed: readonly Member[]
}

/** MLS9, MLS11 and MLS13 for one new leaf. */
function checkAdd(
  { state, suite }: Group,
  context: ChannelContext,
  from: Member,
  keyPackage: KeyPackage,
  { data, manifests, removed }: AddContext,
): void {
  checkKeyPackageShape(keyPackage, suite)
  if (!isAlive(keyPackage.leafNode.lifetime, data.timeMs)) refuse('lifetime')
  const certificate = certificateOf(keyPackage.leafNode.credential)
  const { account, deviceId } = certificate

  const manifest = manifests.find((one) => equalBytes(one.account, account))
  if (manifest === undefined) refuse('manifest-missing')
  const certified = listed(manifest, deviceId)
  if (certified === undefined || !sameDevice(certified, certificate)) refuse('not-listed')

  const own = equalBytes(account, from.account)
  if (!own && from.role === 'member') refuse('role-add')
  if (context.kind === 'direct' && entryOf(context, account).role !== 'owner') refuse('direct')
  const place = findDevice(state.ratchetTree, account, deviceId)
  const present = place !== undefined && !removed.some(({ leaf }) => leaf === place)
  if (present) refuse('device-present')
}

/** Accounts of which a commit leaves no device in the group. */
export function goneAccounts(
  group: Group,
  removed: readonly { readonly leaf: number; readonly account: AccountId }[],
  added: readonly { readonly account: AccountId }[],
): readonly AccountId[] {
  if (removed.length === 0) return []
  const leaves = new Set(removed.map(({ leaf }) => leaf))
  const staying = [...members(group).filter(({ leaf }) => !leaves.has(leaf)), ...added]
  const present = new Set(staying.map(({ account }) => toHex(account)))
  const gone = new Map(removed.map(({ account }) => [toHex(account), account]))
  return [...gone].flatMap(([name, account]) => (present.has(name) ? [] : [account]))
}

type ContextClaim = {
  readonly extensions: readonly Extension[][]
  readonly data: CommitData
  readonly manifests: readonly Manifest[]
  readonly gone: readonly AccountId[]
}

/**
 * MLS4: sequences rise to those of the commit's manifests, exactly; roles change by an owner's hand, and one is left; the
 * profile, and what it is of a space, by an owner's or an admin's (MLS23, MLS24).
 */
function checkContext(
  { context, state }: Group,
  from: Member,
  { extensions: [proposed, ...more], data: { roles = [], profile, space }, manifests, gone }: ContextClaim,
): ChannelContext {
  if (roles.length > 0 && (from.role !== 'owner' || context.kind === 'direct')) refuse('role-change')
  if (profile !== undefined) checkProfile(context, from, profile)
  if (space !== undefined && from.role === 'member') refuse('role-space')
  if (space !== undefined && changeSpace(context.space, space) === 'refused') refuse('space')
  const after = changeContext(context, { roles, manifests, profile, space, gone })
  if (!isSound(after)) refuse(context.kind === 'direct' ? 'direct' : 'no-owner')
  if (more.length > 0 || !isExtensionOf(proposed ?? state.groupContext.extensions, after)) refuse('context')
  return after
}

/** A conversation of two is called by the other's name: it has a timer alone, and either may set it. */
function checkProfile({ kind }: ChannelContext, from: Member, { timerMs: _, ...named }: ProfileChange): void {
  if (kind === 'direct' && Object.keys(named).length > 0) refuse('direct')
  if (from.role === 'member') refuse('role-profile')
}

export function refuse(rule: string): never {
  throw new CryptoError(`mls/policy/${rule}`)
}
