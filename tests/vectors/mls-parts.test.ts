import { decodeAuthenticatedContent } from 'ts-mls/authenticatedContent.js'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { determineLength } from 'ts-mls/codec/variableLength.js'
import { applyUpdatePathSecret } from 'ts-mls/createCommit.js'
import { refhash } from 'ts-mls/crypto/hash.js'
import { decryptWithLabel } from 'ts-mls/crypto/hpke.js'
import { deriveSecret, deriveTreeSecret, expandWithLabel } from 'ts-mls/crypto/kdf.js'
import { verifyWithLabel } from 'ts-mls/crypto/signature.js'
import { decodeGroupContext, extractJoinerSecret, groupContextEncoder } from 'ts-mls/groupContext.js'
import { extractWelcomeSecret, verifyGroupInfoSignature } from 'ts-mls/groupInfo.js'
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js'
import { deriveKeySchedule, mlsExporter } from 'ts-mls/keySchedule.js'
import { decodeMlsMessage } from 'ts-mls/message.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { verifyParentHashes } from 'ts-mls/parentHash.js'
import { getCommitSecret } from 'ts-mls/pathSecrets.js'
import { decodeProposal } from 'ts-mls/proposal.js'
import { accumulatePskSecret } from 'ts-mls/pskIndex.js'
import {
  addLeafNode,
  decodeRatchetTree,
  encodeRatchetTree,
  removeLeafNode,
  resolution,
  updateLeafNode,
} from 'ts-mls/ratchetTree.js'
import { createSecretTree, ratchetToGeneration } from 'ts-mls/secretTree.js'
import { expandSenderDataKey, expandSenderDataNonce, type ReuseGuard } from 'ts-mls/sender.js'
import { createConfirmedHash, createInterimHash } from 'ts-mls/transcriptHash.js'
import { treeHash, treeHashRoot } from 'ts-mls/treeHash.js'
import { leafWidth, left, nodeWidth, parent, right, root, sibling, toLeafIndex, toNodeIndex } from 'ts-mls/treemath.js'
import { applyUpdatePath, decodeUpdatePath } from 'ts-mls/updatePath.js'
import { decryptGroupInfo, decryptGroupSecrets } from 'ts-mls/welcome.js'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { clientConfig } from '#core/mls/leaf.ts'
import { provider } from '#core/mls/provider.ts'
import { SUITE_CLASSICAL } from '#core/mls/suite.ts'
import { decoded, fromHex, mlsVectors } from './mls-vectors.ts'

type Fields = Record<string, string>
const cs = provider(SUITE_CLASSICAL)

/** One test for each case of a file, and one that sees to it that there are any. */
function vectors<Case>(kind: string, check: (vector: Case) => Promise<void> | void): void {
  const cases = mlsVectors<Case>(kind)
  describe.skipIf(cases.length === 0)(`RFC 9420 ${kind}`, () => {
    it.each(cases.map((vector, number) => ({ number, vector })))(
      '[C-01] case $number',
      ({ vector }) => check(vector),
      60_000,
    )
  })
}

vectors<
  { n_leaves: number; n_nodes: number; root: number } & Record<
    'left' | 'right' | 'parent' | 'sibling',
    (number | null)[]
  >
>('tree-math', (v) => {
  expect([nodeWidth(v.n_leaves), root(v.n_leaves)]).toEqual([v.n_nodes, v.root])
  for (let i = 0; i < v.n_nodes; i++) {
    const node = toNodeIndex(i)
    if (i % 2 === 1) expect([left(node), right(node)]).toEqual([v.left[i], v.right[i]])
    if (i !== v.root) expect([parent(node, v.n_leaves), sibling(node, v.n_leaves)]).toEqual([v.parent[i], v.sibling[i]])
  }
})

vectors<{ vlbytes_header: string; length: number }>('deserialization', (v) => {
  expect(determineLength(fromHex(v.vlbytes_header)).length).toBe(v.length)
})

type Basics = Record<'derive_secret' | 'encrypt_with_label' | 'ref_hash' | 'sign_with_label', Fields> &
  Record<'derive_tree_secret' | 'expand_with_label', Fields & { generation: number; length: number }>

vectors<Basics>('crypto-basics', async (v) => {
  const at = (fields: Fields, name: string) => fromHex(fields[name] ?? '')
  const { ref_hash: ref, expand_with_label: expand, derive_secret: derive, derive_tree_secret: tree } = v
  expect(toHex(await refhash(ref.label ?? '', at(ref, 'value'), cs.hash))).toBe(ref.out)
  const expanded = expandWithLabel(
    at(expand, 'secret'),
    String(expand.label),
    at(expand, 'context'),
    expand.length,
    cs.kdf,
  )
  expect(toHex(await expanded)).toBe(expand.out)
  expect(toHex(await deriveSecret(at(derive, 'secret'), derive.label ?? '', cs.kdf))).toBe(derive.out)
  const ratcheted = deriveTreeSecret(at(tree, 'secret'), String(tree.label), tree.generation, tree.length, cs.kdf)
  expect(toHex(await ratcheted)).toBe(tree.out)
  const { sign_with_label: sign, encrypt_with_label: seal } = v
  const signature = at(sign, 'signature')
  const verified = verifyWithLabel(at(sign, 'pub'), sign.label ?? '', at(sign, 'content'), signature, cs.signature)
  expect(await verified).toBe(true)
  const key = await cs.hpke.importPrivateKey(at(seal, 'priv'))
  const [enc, ct] = [at(seal, 'kem_output'), at(seal, 'ciphertext')]
  const opened = await decryptWithLabel(key, seal.label ?? '', at(seal, 'context'), enc, ct, cs.hpke)
  expect(toHex(opened)).toBe(seal.plaintext)
})

type SecretTreeCase = {
  encryption_secret: string
  sender_data: Fields
  leaves: {
    generation: number
    application_key: string
    application_nonce: string
    handshake_key: string
    handshake_nonce: string
  }[][]
}

vectors<SecretTreeCase>('secret-tree', async (v) => {
  const { sender_data_secret = '', ciphertext = '', key, nonce } = v.sender_data
  expect(toHex(await expandSenderDataKey(cs, fromHex(sender_data_secret), fromHex(ciphertext)))).toBe(key)
  expect(toHex(await expandSenderDataNonce(cs, fromHex(sender_data_secret), fromHex(ciphertext)))).toBe(nonce)
  let tree = await createSecretTree(v.leaves.length, fromHex(v.encryption_secret), cs.kdf)
  for (const [leafIndex, generations] of v.leaves.entries()) {
    for (const g of generations) {
      for (const [type, wantedKey, wantedNonce] of [
        ['application', g.application_key, g.application_nonce],
        ['commit', g.handshake_key, g.handshake_nonce],
      ] as const) {
        const sender = { leafIndex, generation: g.generation, reuseGuard: new Uint8Array(4) as ReuseGuard }
        const step = await ratchetToGeneration(tree, sender, type, clientConfig.keyRetentionConfig, cs)
        expect([toHex(step.key), toHex(step.nonce)]).toEqual([wantedKey, wantedNonce])
        tree = step.newTree
      }
    }
  }
})

vectors<{ psks: Fields[]; psk_secret: string }>('psk_secret', async (v) => {
  const found = new Map(v.psks.map(({ psk_id = '', psk = '' }) => [psk_id, fromHex(psk)]))
  const ids = v.psks.map(({ psk_id = '', psk_nonce = '' }) => ({
    psktype: 'external' as const,
    pskId: fromHex(psk_id),
    pskNonce: fromHex(psk_nonce),
  }))
  const index = {
    findPsk: (id: { psktype: string }) => ('pskId' in id ? found.get(toHex(id.pskId as Uint8Array)) : undefined),
  }
  const [secret] = await accumulatePskSecret(ids, index, cs, new Uint8Array(cs.kdf.size))
  expect(toHex(secret)).toBe(v.psk_secret)
})

type ScheduleEpoch = Fields & { exporter: Fields & { length: number } }

vectors<{ group_id: string; initial_init_secret: string; epochs: ScheduleEpoch[] }>('key-schedule', async (v) => {
  let init: Uint8Array = fromHex(v.initial_init_secret)
  for (const epoch of v.epochs) {
    const at = (name: string) => fromHex(String(epoch[name]))
    const context = decoded(decodeGroupContext, String(epoch.group_context))
    expect(toHex(encode(groupContextEncoder)(context))).toBe(epoch.group_context)
    const joiner = await extractJoinerSecret(context, init, at('commit_secret'), cs.kdf)
    expect(toHex(joiner)).toBe(epoch.joiner_secret)
    expect(toHex(await extractWelcomeSecret(joiner, at('psk_secret'), cs.kdf))).toBe(epoch.welcome_secret)
    const [schedule, encryption] = await deriveKeySchedule(joiner, at('psk_secret'), context, cs.kdf)
    expect(toHex(encryption)).toBe(epoch.encryption_secret)
    expect(toHex(schedule.senderDataSecret)).toBe(epoch.sender_data_secret)
    expect(toHex(schedule.exporterSecret)).toBe(epoch.exporter_secret)
    expect(toHex(schedule.externalSecret)).toBe(epoch.external_secret)
    expect(toHex(schedule.confirmationKey)).toBe(epoch.confirmation_key)
    expect(toHex(schedule.membershipKey)).toBe(epoch.membership_key)
    expect(toHex(schedule.resumptionPsk)).toBe(epoch.resumption_psk)
    expect(toHex(schedule.epochAuthenticator)).toBe(epoch.epoch_authenticator)
    const { publicKey } = await cs.hpke.deriveKeyPair(schedule.externalSecret)
    expect(toHex(await cs.hpke.exportPublicKey(publicKey))).toBe(epoch.external_pub)
    const { label = '', context: exporterContext = '', length, secret } = epoch.exporter
    const exported = await mlsExporter(schedule.exporterSecret, label, fromHex(exporterContext), length, cs)
    expect(toHex(exported)).toBe(secret)
    init = schedule.initSecret
  }
})

vectors<Fields>('transcript-hashes', async (v) => {
  const content = decoded(decodeAuthenticatedContent, v.authenticated_content ?? '')
  if (content.content.contentType !== 'commit' || content.auth.contentType !== 'commit') throw new Error('no commit')
  const input = { wireformat: content.wireformat, content: content.content, signature: content.auth.signature }
  const confirmed = await createConfirmedHash(fromHex(v.interim_transcript_hash_before ?? ''), input, cs.hash)
  expect(toHex(confirmed)).toBe(v.confirmed_transcript_hash_after)
  const tag = content.auth.confirmationTag
  expect(await cs.hash.verifyMac(fromHex(v.confirmation_key ?? ''), tag, confirmed)).toBe(true)
  expect(toHex(await createInterimHash(confirmed, tag, cs.hash))).toBe(v.interim_transcript_hash_after)
})

vectors<{ tree: string; tree_hashes: string[]; resolutions: number[][] }>('tree-validation', async (v) => {
  const tree = decoded(decodeRatchetTree, v.tree)
  for (const [i, hash] of v.tree_hashes.entries()) {
    expect(toHex(await treeHash(tree, toNodeIndex(i), cs.hash))).toBe(hash)
    expect(resolution(tree, toNodeIndex(i))).toEqual(v.resolutions[i])
  }
  expect(await verifyParentHashes(tree, cs.hash)).toBe(true)
})

vectors<Fields & { proposal_sender: number }>('tree-operations', async (v) => {
  const before = decoded(decodeRatchetTree, String(v.tree_before))
  expect(toHex(await treeHashRoot(before, cs.hash))).toBe(v.tree_hash_before)
  const proposal = decoded(decodeProposal, String(v.proposal))
  const apply = () => {
    switch (proposal.proposalType) {
      case 'add':
        return addLeafNode(before, proposal.add.keyPackage.leafNode)[0]
      case 'update':
        return updateLeafNode(before, proposal.update.leafNode, toLeafIndex(v.proposal_sender))
      case 'remove':
        return removeLeafNode(before, toLeafIndex(proposal.remove.removed))
      default:
        throw new Error('no operation on a tree')
    }
  }
  expect(toHex(encodeRatchetTree(apply()))).toBe(v.tree_after)
  expect(toHex(await treeHashRoot(apply(), cs.hash))).toBe(v.tree_hash_after)
})

type TreeKem = Fields & {
  epoch: number
  leaves_private: { index: number; encryption_priv: string; path_secrets: { node: number; path_secret: string }[] }[]
  update_paths: {
    sender: number
    update_path: string
    path_secrets: (string | null)[]
    commit_secret: string
    tree_hash_after: string
  }[]
}

vectors<TreeKem>('treekem', async (v) => {
  const tree = decoded(decodeRatchetTree, String(v.ratchet_tree))
  for (const u of v.update_paths) {
    const path = decoded(decodeUpdatePath, u.update_path)
    const updated = await applyUpdatePath(tree, toLeafIndex(u.sender), path, cs.hash)
    const hash = await treeHashRoot(updated, cs.hash)
    expect(toHex(hash)).toBe(u.tree_hash_after)
    const context = {
      version: 'mls10' as const,
      cipherSuite: cs.name,
      groupId: fromHex(String(v.group_id)),
      epoch: BigInt(v.epoch),
      treeHash: hash,
      confirmedTranscriptHash: fromHex(String(v.confirmed_transcript_hash)),
      extensions: [],
    }
    for (const { index, encryption_priv, path_secrets } of v.leaves_private) {
      if (index === u.sender) continue
      const privateKeys: Record<number, Uint8Array> = { [2 * index]: fromHex(encryption_priv) }
      for (const { node, path_secret } of path_secrets) {
        const pair = await cs.hpke.deriveKeyPair(await deriveSecret(fromHex(path_secret), 'node', cs.kdf))
        privateKeys[node] = await cs.hpke.exportPrivateKey(pair.privateKey)
      }
      const own = { leafIndex: index, privateKeys }
      const found = await applyUpdatePathSecret(updated, own, toLeafIndex(u.sender), context, path, [], cs)
      expect(toHex(found.pathSecret)).toBe(u.path_secrets[index])
      expect(toHex(await getCommitSecret(updated, found.nodeIndex, found.pathSecret, cs.kdf))).toBe(u.commit_secret)
    }
  }
})

vectors<Fields>('welcome', async (v) => {
  const own = decoded(decodeMlsMessage, v.key_package ?? '')
  const message = decoded(decodeMlsMessage, v.welcome ?? '')
  if (own.wireformat !== 'mls_key_package' || message.wireformat !== 'mls_welcome') throw new Error('other messages')
  const key = await cs.hpke.importPrivateKey(fromHex(v.init_priv ?? ''))
  const ref = await makeKeyPackageRef(own.keyPackage, cs.hash)
  const secrets = await decryptGroupSecrets(key, ref, message.welcome, cs.hpke)
  const none = new Uint8Array(cs.kdf.size)
  const info = await decryptGroupInfo(message.welcome, secrets?.joinerSecret ?? none, none, cs)
  if (secrets === undefined || info === undefined) throw new Error('does not open')
  expect(await verifyGroupInfoSignature(info, fromHex(v.signer_pub ?? ''), cs.signature)).toBe(true)
  const [schedule] = await deriveKeySchedule(secrets.joinerSecret, none, info.groupContext, cs.kdf)
  const { confirmationTag, groupContext } = info
  expect(await cs.hash.verifyMac(schedule.confirmationKey, confirmationTag, groupContext.confirmedTranscriptHash)).toBe(
    true,
  )
})

vectors<Fields & { epoch: number }>('message-protection', async (v) => {
  const groupContext = {
    version: 'mls10' as const,
    cipherSuite: cs.name,
    groupId: fromHex(String(v.group_id)),
    epoch: BigInt(v.epoch),
    treeHash: fromHex(String(v.tree_hash)),
    confirmedTranscriptHash: fromHex(String(v.confirmed_transcript_hash)),
    extensions: [],
  }
  const signer = fromHex(String(v.signature_pub))
  const secretTree = await createSecretTree(leafWidth(3), fromHex(String(v.encryption_secret)), cs.kdf)
  const leaf = { nodeType: 'leaf' as const, leaf: { signaturePublicKey: signer } }
  const tree = [leaf, undefined, leaf] as Parameters<typeof unprotectPrivateMessage>[3]
  const open = async (name: string) => {
    const message = decoded(decodeMlsMessage, String(v[name]))
    if (message.wireformat !== 'mls_private_message') throw new Error('no private message')
    const secret = fromHex(String(v.sender_data_secret))
    const { privateMessage } = message
    const config = clientConfig.keyRetentionConfig
    const opened = await unprotectPrivateMessage(
      secret,
      privateMessage,
      secretTree,
      tree,
      groupContext,
      config,
      cs,
      signer,
    )
    return opened.content.content
  }
  const application = await open('application_priv')
  if (application.contentType !== 'application') throw new Error('no application message')
  expect(toHex(application.applicationData)).toBe(v.application)
  expect(await open('proposal_priv')).toMatchObject({
    contentType: 'proposal',
    proposal: decoded(decodeProposal, String(v.proposal)),
  })
  expect((await open('commit_priv')).contentType).toBe('commit')
})
