import type { LeafNode } from 'ts-mls/leafNode.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { equalBytes } from '../bytes/equal.ts'
import { sameDevice } from '../identity/certificate.ts'
import type { CommitData } from './commit-data.ts'
import { findDevice, type Group, memberAt, members, successorOf } from './group.ts'
import { checkManifests, type Judged, listed, refuse } from './judge-commit.ts'
import { certificateOf, checkLeafShape } from './leaf.ts'

export type ExternalClaim = {
  readonly proposals: readonly Proposal[]
  readonly pathLeaf: LeafNode | undefined
  readonly data: CommitData
}

/**
 * MLS21: a device comes in by itself only if its account is in the group already and its manifest, which the commit
 * brings, lists it; and it removes its own old leaf, if it has one, and nobody else's. ts-mls would let it evict anybody.
 * @throws CryptoError 'mls/policy/<rule>'
 */
export async function judgeExternal(group: Group, { proposals, pathLeaf, data }: ExternalClaim): Promise<Judged> {
  const { context } = group
  if (successorOf(group) !== undefined) refuse('succeeded') // MLS20
  if (data.timeMs !== group.lastCommitMs) refuse('time') // MLS8
  if (pathLeaf === undefined) refuse('external')
  const removes: number[] = []
  let inits = 0
  for (const proposal of proposals) {
    if (proposal.proposalType === 'external_init') inits++
    else if (proposal.proposalType === 'remove') removes.push(proposal.remove.removed)
    else refuse('proposal')
  }
  if (inits !== 1) refuse('external')

  checkLeafShape(pathLeaf, group.suite)
  const certificate = certificateOf(pathLeaf.credential)
  const { account, deviceId } = certificate
  if (!members(group).some((member) => equalBytes(member.account, account))) refuse('external-account')
  const own = findDevice(group.state.ratchetTree, account, deviceId)
  const expected = own === undefined ? [] : [own]
  if (removes.join() !== expected.join()) refuse('external-remove')

  const manifests = await checkManifests(context, data)
  const manifest = manifests.find((one) => equalBytes(one.account, account))
  if (manifest === undefined || manifests.length > 1) refuse('manifest-missing')
  const certified = listed(manifest, deviceId)
  if (certified === undefined || !sameDevice(certified, certificate)) refuse('not-listed')
  const removed = expected.map((leaf) => memberAt(group.state.ratchetTree, leaf, context))
  return { from: { account, deviceId }, added: [{ account, deviceId }], removed, data, manifests, context }
}
