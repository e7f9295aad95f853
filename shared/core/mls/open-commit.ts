import type { AuthenticatedContentCommit } from 'ts-mls/authenticatedContent.js'
import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import type { PrivateKey } from 'ts-mls/crypto/hpke.js'
import { acceptAll } from 'ts-mls/incomingMessageAction.js'
import { unprotectPublicMessage } from 'ts-mls/messageProtectionPublic.js'
import { CodecError, CryptoVerificationError, ValidationError } from 'ts-mls/mlsError.js'
import { processCommit } from 'ts-mls/processMessages.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import type { PublicMessage } from 'ts-mls/publicMessage.js'
import { equalBytes } from '../bytes/equal.ts'
import { CryptoError, StateError, WireError } from '../errors.ts'
import { toNextEpoch } from './advance.ts'
import { type CommitData, decodeCommitData } from './commit-data.ts'
import { epochOf, findDevice, type Group, ownLeafOf } from './group.ts'
import { type Judged, judgeCommit } from './judge-commit.ts'
import { judgeExternal } from './judge-external.ts'
import type { Opened } from './open-message.ts'
import { checkPublicKey, provider } from './provider.ts'
import { guarded } from './wire.ts'

type OpenedCommit = Extract<Opened, { kind: 'commit' }>

/** Judges an opened commit of a member, then applies it. `consumed` is what opening it spent. */
export async function openCommit(
  group: Group,
  authentic: AuthenticatedContentCommit,
  consumed: readonly Uint8Array[],
  nowMs: number,
): Promise<OpenedCommit> {
  const { commit, sender, authenticatedData } = authentic.content
  if (sender.senderType !== 'member') throw new CryptoError('mls/policy/sender')
  const judged = await judgeCommit(group, {
    sender: sender.leafIndex,
    proposals: commit.proposals.map(byValue),
    pathLeaf: commit.path?.leafNode,
    data: dataOf(authenticatedData),
  })
  return toOpened(group, authentic, judged, consumed, nowMs)
}

/** The same for a device that comes in by itself. @throws as openMessage */
export async function openExternal(group: Group, message: PublicMessage, nowMs: number): Promise<OpenedCommit> {
  const { groupContext, ratchetTree, keySchedule } = group.state
  const { content } = message
  if (!equalBytes(content.groupId, groupContext.groupId)) throw new CryptoError('mls/policy/group-id')
  if (content.epoch > groupContext.epoch) throw new StateError('mls/epoch-ahead')
  if (content.epoch < groupContext.epoch) throw new CryptoError('mls/policy/epoch')
  const isExternal = content.sender.senderType === 'new_member_commit' && content.contentType === 'commit'
  if (!isExternal) throw new CryptoError('mls/policy/wire-format')
  const { membershipKey } = keySchedule
  const opened = await guarded('mls/open', () =>
    unprotectPublicMessage(membershipKey, groupContext, ratchetTree, message, provider(group.suite)),
  )
  const { commit, authenticatedData } = content
  const judged = await judgeExternal(group, {
    proposals: commit.proposals.map(byValue),
    pathLeaf: commit.path?.leafNode,
    data: dataOf(authenticatedData),
  })
  return toOpened(group, { ...opened, content }, judged, [], nowMs)
}

async function toOpened(
  group: Group,
  authentic: AuthenticatedContentCommit,
  judged: Judged,
  consumed: readonly Uint8Array[],
  nowMs: number,
): Promise<OpenedCommit> {
  for (const { hpkePublicKey } of authentic.content.commit.path?.nodes ?? []) checkPublicKey(group.suite, hpkePublicKey)
  const removedSelf = judged.removed.some(({ leaf }) => leaf === ownLeafOf(group))
  const { next, spent } = await applied(group, authentic, judged, removedSelf, nowMs)
  const { sender } = authentic.content
  const { account, deviceId } = judged.from
  const leaf = sender.senderType === 'member' ? sender.leafIndex : findDevice(next.state.ratchetTree, account, deviceId)
  return {
    kind: 'commit',
    next,
    from: { leaf: leaf ?? -1, account, deviceId },
    epoch: epochOf(group) + 1,
    added: placesOf(next, judged),
    removed: judged.removed,
    removedSelf,
    ...(judged.successor === undefined ? {} : { successor: judged.successor }),
    authenticatedData: judged.data,
    manifests: judged.manifests,
    spent: [...consumed, ...spent],
  }
}

async function applied(
  group: Group,
  authentic: AuthenticatedContentCommit,
  { data, context }: Judged,
  removedSelf: boolean,
  nowMs: number,
) {
  // ts-mls applies an external commit to the member that it replaces, who has no key for it.
  if (removedSelf && authentic.content.sender.senderType !== 'member') {
    return { next: { ...group, context, state: { ...group.state, groupActiveState: REMOVED } }, spent: [] }
  }
  const cs = provider(group.suite, { signer: group.signer })
  const { newState, consumed } = await apply(group, authentic, await watchPath(group, cs, authentic))
  if (removedSelf) return { next: { ...group, context, state: newState }, spent: consumed }
  const { next, spent } = toNextEpoch(group, newState, context, { timeMs: data.timeMs, nowMs })
  return { next, spent: [...consumed, ...spent] }
}

const REMOVED = { kind: 'removedFromGroup' } as const

function byValue(entry: AuthenticatedContentCommit['content']['commit']['proposals'][number]): Proposal {
  if (entry.proposalOrRefType !== 'proposal') throw new CryptoError('mls/policy/reference') // MLS7
  return entry.proposal
}

function dataOf(bytes: Uint8Array): CommitData {
  try {
    return decodeCommitData(bytes)
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    throw new CryptoError('mls/policy/data', { cause })
  }
}

function placesOf({ state }: Group, { added }: Judged): OpenedCommit['added'] {
  return added.flatMap(({ account, deviceId }) => {
    const leaf = findDevice(state.ratchetTree, account, deviceId)
    return leaf === undefined ? [] : [{ leaf, account, deviceId }]
  })
}

/**
 * MLS15: tells a commit that nobody can apply from one whose path is bad for this device alone. Every member can check all
 * but the path secret that was sealed to it: whether that opens, and whether the keys derived from it are those that
 * the commit publishes. If they are and the confirmation tag is still wrong, it is wrong for all.
 */
type Watch = { readonly cs: CiphersuiteImpl; ownPathFailed(): boolean }

async function watchPath(
  { state }: Group,
  cs: CiphersuiteImpl,
  { content }: AuthenticatedContentCommit,
): Promise<Watch> {
  const published = content.commit.path?.nodes.map(({ hpkePublicKey }) => hpkePublicKey) ?? []
  if (content.sender.senderType !== 'member') {
    // An external commit is sealed to the epoch's own key too, which everybody derives.
    const { publicKey } = await cs.hpke.deriveKeyPair(state.keySchedule.externalSecret)
    published.push(await cs.hpke.exportPublicKey(publicKey))
  }
  let failed = false
  const watched: CiphersuiteImpl = {
    ...cs,
    hpke: {
      ...cs.hpke,
      async open(privateKey: PrivateKey, enc, ciphertext, info, aad) {
        try {
          return await cs.hpke.open(privateKey, enc, ciphertext, info, aad)
        } catch (error) {
          failed = true
          throw error
        }
      },
      async deriveKeyPair(secret) {
        const pair = await cs.hpke.deriveKeyPair(secret)
        const publicKey = await cs.hpke.exportPublicKey(pair.publicKey)
        failed ||= !published.some((key) => equalBytes(key, publicKey))
        return pair
      },
    },
  }
  return { cs: watched, ownPathFailed: () => failed }
}

async function apply(group: Group, authentic: AuthenticatedContentCommit, { cs, ownPathFailed }: Watch) {
  let applied: Awaited<ReturnType<typeof processCommit>>
  try {
    applied = await processCommit(group.state, authentic, authentic.wireformat, emptyPskIndex, acceptAll, cs)
  } catch (cause) {
    if (ownPathFailed()) throw new StateError('mls/own-path', { cause })
    if (cause instanceof CryptoError) throw cause
    // What ts-mls found in the commit itself, every member finds. Anything else failed on the way to this leaf's secret.
    const isVoid = [ValidationError, CryptoVerificationError, CodecError].some((kind) => cause instanceof kind)
    if (isVoid) throw new CryptoError('mls/policy/commit', { cause })
    throw new StateError('mls/own-path', { cause })
  }
  if (ownPathFailed()) throw new StateError('mls/own-path')
  return applied
}
