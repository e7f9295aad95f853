import type { EpochReceiverData } from 'ts-mls/epochReceiverData.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { decryptSenderData, type PrivateMessage } from 'ts-mls/privateMessage.js'
import type { SecretTree } from 'ts-mls/secretTree.js'
import { equalBytes } from '../bytes/equal.ts'
import { CryptoError, StateError } from '../errors.ts'
import type { Manifest } from '../identity/manifest.ts'
import type { AccountId, DeviceId } from '../wire/ids.ts'
import { MAX_PAST_MS } from './advance.ts'
import type { CommitData } from './commit-data.ts'
import { type Group, leafAt, type Member, type Successor } from './group.ts'
import { certificateOf, clientConfig, MAX_STEPS_AHEAD } from './leaf.ts'
import { openCommit, openExternal } from './open-commit.ts'
import { provider } from './provider.ts'
import { decodeMessage, guarded } from './wire.ts'

export type From = { readonly leaf: number; readonly account: AccountId; readonly deviceId: DeviceId }
export type Added = { readonly leaf: number; readonly account: AccountId; readonly deviceId: DeviceId }

export type Opened =
  | {
      readonly kind: 'message'
      readonly next: Group
      readonly from: From
      readonly epoch: number
      readonly generation: number
      readonly plaintext: Uint8Array
      readonly authenticatedData: Uint8Array
      readonly spent: readonly Uint8Array[]
    }
  | {
      readonly kind: 'commit'
      readonly next: Group
      readonly from: From
      readonly epoch: number // the one that it began
      readonly added: readonly Added[]
      readonly removed: readonly Member[]
      readonly removedSelf: boolean
      /** The group that takes over from this one, when the commit says so (MLS20). */
      readonly successor?: Successor
      readonly authenticatedData: CommitData
      readonly manifests: readonly Manifest[] // those of the authenticated data, checked
      readonly spent: readonly Uint8Array[]
    }

/**
 * Opens whatever a member sent. `spent` is wiped once `next` is stored.
 *
 * @throws WireError 'mls/message' no MLS message; CryptoError 'mls/open' not from a member; 'mls/policy/<rule>' a commit
 *   that every member refuses (void). StateError 'mls/epoch-ahead' keep it until that epoch; 'mls/epoch-gone',
 *   'mls/generation-gone' (opened before, or let go), 'mls/generation-ahead'; 'mls/own-path' a commit that is
 *   good for others and not for this device, which rejoins; 'mls/removed'.
 */
export async function openMessage(group: Group, bytes: Uint8Array, nowMs: number): Promise<Opened> {
  if (group.state.groupActiveState.kind === 'removedFromGroup') throw new StateError('mls/removed')
  const message = decodeMessage(bytes)
  // MLS7: members send private messages alone; a public one is a device that comes in by itself.
  if (message.wireformat === 'mls_public_message') return openExternal(group, message.publicMessage, nowMs)
  if (message.wireformat !== 'mls_private_message') throw new CryptoError('mls/policy/wire-format')
  const { privateMessage } = message
  if (!equalBytes(privateMessage.groupId, group.state.groupContext.groupId))
    throw new CryptoError('mls/policy/group-id')
  const epoch = epochData(group, privateMessage, nowMs)
  if (privateMessage.contentType === 'proposal') throw new CryptoError('mls/policy/proposal')

  const cs = provider(group.suite)
  const { keyRetentionConfig } = clientConfig
  const { senderDataSecret, secretTree, ratchetTree, groupContext } = epoch
  const opened = await guarded('mls/open', () =>
    unprotectPrivateMessage(
      senderDataSecret,
      privateMessage,
      secretTree,
      ratchetTree,
      groupContext,
      keyRetentionConfig,
      cs,
    ),
  ).catch(async (error: unknown) => {
    await explain(group, epoch, privateMessage)
    throw error
  })
  const next = withRatchets(group, privateMessage.epoch, epoch, opened.tree)
  const { content } = opened.content
  if (content.contentType === 'commit') {
    return openCommit(next, { ...opened.content, content }, opened.consumed, nowMs)
  }
  if (content.contentType !== 'application' || content.sender.senderType !== 'member') {
    throw new CryptoError('mls/policy/proposal')
  }
  const leaf = content.sender.leafIndex
  const { account, deviceId } = certificateOf(leafAt(ratchetTree, leaf).credential)
  return {
    kind: 'message',
    next,
    from: { leaf, account, deviceId },
    epoch: Number(privateMessage.epoch),
    generation: generationUsed(secretTree, opened.tree, leaf),
    plaintext: content.applicationData,
    authenticatedData: content.authenticatedData,
    spent: opened.consumed,
  }
}

type EpochData = Omit<EpochReceiverData, 'resumptionPsk'>

function epochData({ state, past }: Group, { epoch, contentType }: PrivateMessage, nowMs: number): EpochData {
  const current = state.groupContext.epoch
  if (epoch > current) throw new StateError('mls/epoch-ahead')
  if (epoch === current) return { ...state, senderDataSecret: state.keySchedule.senderDataSecret }
  if (contentType !== 'application') throw new CryptoError('mls/policy/epoch') // void: another commit ended that epoch
  const data = state.historicalReceiverData.get(epoch)
  const endedMs = past.get(epoch)?.endedMs
  if (data === undefined || endedMs === undefined || nowMs - endedMs > MAX_PAST_MS)
    throw new StateError('mls/epoch-gone')
  return data
}

/** The one whose key is gone: the last that the ratchet passed, or one that it had kept. */
function generationUsed(before: SecretTree, after: SecretTree, leaf: number): number {
  const [old, now] = [before.leaves[2 * leaf]?.application, after.leaves[2 * leaf]?.application]
  if (old === undefined || now === undefined || now.generation > old.generation) return (now?.generation ?? 0) - 1
  return Number(Object.keys(old.unusedGenerations).find((kept) => now.unusedGenerations[Number(kept)] === undefined))
}

/** @throws StateError when what failed to open had no key any more, or not yet */
async function explain(group: Group, epoch: EpochData, message: PrivateMessage): Promise<void> {
  const sender = await guarded('mls/open', () =>
    decryptSenderData(message, epoch.senderDataSecret, provider(group.suite)),
  )
  if (sender === undefined || epoch.ratchetTree[2 * sender.leafIndex]?.nodeType !== 'leaf') return
  const ratchets = epoch.secretTree.leaves[2 * sender.leafIndex]
  const ratchet = message.contentType === 'application' ? ratchets?.application : ratchets?.handshake
  const next = ratchet?.generation ?? 0
  const isKept = ratchet?.unusedGenerations[sender.generation] !== undefined
  if (sender.generation < next && !isKept) throw new StateError('mls/generation-gone')
  if (sender.generation - next > MAX_STEPS_AHEAD) throw new StateError('mls/generation-ahead')
}

function withRatchets(group: Group, epoch: bigint, data: EpochData, secretTree: SecretTree): Group {
  const { state } = group
  if (epoch === state.groupContext.epoch) return { ...group, state: { ...state, secretTree } }
  const before = state.historicalReceiverData.get(epoch)
  if (before === undefined) return group
  const historicalReceiverData = new Map(state.historicalReceiverData)
  historicalReceiverData.set(epoch, { ...before, ...data, secretTree })
  return { ...group, state: { ...state, historicalReceiverData } }
}
