import { type ClientState, createGroup as createMlsGroup } from 'ts-mls/clientState.js'
import { mlsExporter } from 'ts-mls/keySchedule.js'
import type { LeafNode } from 'ts-mls/leafNode.js'
import type { RatchetTree } from 'ts-mls/ratchetTree.js'
import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import { handlesNeeded } from '../crypto/key-handle.ts'
import type { Dice } from '../crypto/random.ts'
import { StateError, UsageError } from '../errors.ts'
import { decodeCertificate } from '../identity/certificate.ts'
import type { AccountId, DeviceId } from '../wire/ids.ts'
import {
  type ChannelContext,
  type ChannelKind,
  changeContext,
  entryOf,
  isSound,
  type Role,
  toExtension,
} from './channel-context.ts'
import { generateLeaf } from './key-package.ts'
import { certificateOf, clientConfig } from './leaf.ts'
import { EMPTY_PROFILE, type Profile, type ProfileChange } from './profile.ts'
import { provider } from './provider.ts'
import type { Signer } from './signer.ts'
import type { SpacePart } from './space.ts'
import { type SuiteId, suiteOfName } from './suite.ts'

/** A channel's MLS state: a value, never changed in place. Only this folder looks inside `state`. */
export type Group = {
  readonly suite: SuiteId
  readonly signer: Signer
  readonly state: ClientState
  /** The table whose hash the group context has. */
  readonly context: ChannelContext
  readonly lastCommitMs: number
  readonly past: ReadonlyMap<bigint, PastEpoch>
}

export type PastEpoch = { readonly endedMs: number }

export type GroupInput = {
  readonly suite: SuiteId
  readonly groupId: Uint8Array
  readonly signer: Signer
  readonly certificate: Uint8Array
  readonly kind: ChannelKind
  readonly roles: readonly { readonly account: AccountId; readonly role: Role }[]
  readonly manifests: readonly { readonly account: AccountId; readonly sequence: number }[]
  readonly profile?: ProfileChange
  readonly space?: SpacePart
  readonly nowMs?: number
}

const GROUP_ID_BYTES = 32

/** A group with this device alone in it. Direct: the owners are the two accounts, and nobody else ever comes in. */
export async function createGroup(input: GroupInput, dice: Dice): Promise<Group> {
  const { suite, groupId, signer, certificate, kind, roles, manifests, profile, space, nowMs = 0 } = input
  if (groupId.length !== GROUP_ID_BYTES) throw new UsageError('mls/group-id')
  const empty = { kind, accounts: [], profile: EMPTY_PROFILE, ...(space === undefined ? {} : { space }) }
  const context = changeContext(empty, { roles, manifests, profile })
  const { account } = decodeCertificate(certificate)
  if (entryOf(context, account).role !== 'owner' || !isSound(context)) throw new UsageError('mls/context')
  const own = await generateLeaf({ suite, signer, certificate, nowMs }, dice)
  const cs = provider(suite, { dice, signer })
  const extensions = [toExtension(context)]
  const keys = own.privatePackage
  const state = await createMlsGroup(groupId, own.publicPackage, keys, extensions, cs, clientConfig)
  return { suite, signer, state, context, lastCommitMs: nowMs, past: new Map() }
}

export type Member = {
  readonly leaf: number
  readonly account: AccountId
  readonly deviceId: DeviceId
  readonly signatureKey: Uint8Array
  readonly sequence: number
  readonly role: Role
  /** Until when its key package lived; a leaf that has committed since has none (MLS9). */
  readonly notAfterMs?: number
}

const listed = new WeakMap<RatchetTree, { readonly context: ChannelContext; readonly members: readonly Member[] }>()

/** Remembered by the tree: asked for with each message, changed by commits alone. */
export function members({ state, context }: Group): readonly Member[] {
  return membersOf(state.ratchetTree, context)
}

export function membersOf(tree: RatchetTree, context: ChannelContext): readonly Member[] {
  const before = listed.get(tree)
  if (before?.context === context) return before.members
  const entries = new Map(context.accounts.map((entry) => [toHex(entry.account), entry]))
  const found: Member[] = []
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType !== 'leaf') continue
    const { account } = certificateOf(node.leaf.credential)
    found.push(toMember(index / 2, node.leaf, entries.get(toHex(account))?.role ?? 'member'))
  }
  listed.set(tree, { context, members: found })
  return found
}

/** @throws StateError 'mls/no-leaf' */
export function memberAt(tree: RatchetTree, leaf: number, context: ChannelContext): Member {
  const node = leafAt(tree, leaf)
  return toMember(leaf, node, entryOf(context, certificateOf(node.credential).account).role)
}

export function leafAt(tree: RatchetTree, leaf: number): LeafNode {
  const node = tree[2 * leaf]
  if (node?.nodeType !== 'leaf') throw new StateError('mls/no-leaf')
  return node.leaf
}

function toMember(leaf: number, node: LeafNode, role: Role): Member {
  const { account, deviceId, signatureKey, sequence } = certificateOf(node.credential)
  const member = { leaf, account, deviceId, signatureKey, sequence, role }
  if (node.leafNodeSource !== 'key_package') return member
  return { ...member, notAfterMs: Number(node.lifetime.notAfter) * 1000 }
}

export function kindOf({ context }: Group): ChannelKind {
  return context.kind
}

export function profileOf({ context }: Group): Profile {
  return context.profile
}

/** C-10. */
export function spaceOf({ context }: Group): SpacePart | undefined {
  return context.space
}

/** Of accounts that are more than members. */
export function rolesOf({ context }: Group): readonly { readonly account: AccountId; readonly role: Role }[] {
  return context.accounts.flatMap(({ account, role }) => (role === 'member' ? [] : [{ account, role }]))
}

export function epochOf({ state }: Group): number {
  return Number(state.groupContext.epoch)
}

export function groupIdOf({ state }: Group): Uint8Array {
  return state.groupContext.groupId.slice()
}

export function ownLeafOf({ state }: Group): number {
  return state.privatePath.leafIndex
}

/** This device, as the group has it. */
export function ownMember(group: Group): Member {
  return memberAt(group.state.ratchetTree, ownLeafOf(group), group.context)
}

export type Successor = { readonly groupId: Uint8Array; readonly suite: SuiteId }

/** Once a ReInit is ordered the group only opens what is still on its way; nothing more is sent in it (MLS20). */
export function successorOf({ state }: Group): Successor | undefined {
  if (state.groupActiveState.kind !== 'suspendedPendingReinit') return undefined
  const { groupId, cipherSuite } = state.groupActiveState.reinit
  return { groupId, suite: suiteOfName(cipherSuite) }
}

/** @throws StateError 'mls/removed', 'mls/succeeded' */
export function checkActive({ state }: Group): void {
  if (state.groupActiveState.kind === 'removedFromGroup') throw new StateError('mls/removed')
  if (state.groupActiveState.kind === 'suspendedPendingReinit') throw new StateError('mls/succeeded')
}

export function isMemberOf({ state }: Group): boolean {
  return state.groupActiveState.kind !== 'removedFromGroup'
}

export function confirmedTranscriptHash({ state }: Group): Uint8Array {
  return state.groupContext.confirmedTranscriptHash.slice()
}

/** Handles that this group still opens with: its first leaf key, until this device has committed once. */
export function handlesOf({ state }: Group): readonly string[] {
  return handlesNeeded(Object.values(state.privatePath.privateKeys))
}

/** RFC 9420 section 8.5. */
export function exportSecret(group: Group, label: string, context: Uint8Array, length: number): Promise<Uint8Array> {
  return mlsExporter(group.state.keySchedule.exporterSecret, label, context, length, provider(group.suite))
}

export function findDevice(tree: RatchetTree, account: AccountId, deviceId: DeviceId): number | undefined {
  const index = tree.findIndex((node) => {
    if (node?.nodeType !== 'leaf') return false
    const certificate = certificateOf(node.leaf.credential)
    return equalBytes(certificate.account, account) && equalBytes(certificate.deviceId, deviceId)
  })
  return index < 0 ? undefined : index / 2
}
