import type { Capabilities } from 'ts-mls/capabilities.js'
import type { ClientConfig } from 'ts-mls/clientConfig.js'
import type { ClientState } from 'ts-mls/clientState.js'
import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import type { Hpke } from 'ts-mls/crypto/hpke.js'
import { deriveSecret } from 'ts-mls/crypto/kdf.js'
import type { Extension } from 'ts-mls/extension.js'
import { createConfirmationTag } from 'ts-mls/framedContent.js'
import { initializeKeySchedule } from 'ts-mls/keySchedule.js'
import { signLeafNodeCommit, signLeafNodeKeyPackage } from 'ts-mls/leafNode.js'
import { calculateParentHash } from 'ts-mls/parentHash.js'
import { filteredDirectPathAndCopathResolution, type RatchetTree } from 'ts-mls/ratchetTree.js'
import { treeHashRoot } from 'ts-mls/treeHash.js'
import { directPath, leafToNodeIndex, leafWidth, toLeafIndex } from 'ts-mls/treemath.js'

export type Shape = 'flat' | 'full'
export type Seat = { readonly certificate: Uint8Array; readonly signKey: Uint8Array; readonly publicKey: Uint8Array }
export type Plan = {
  readonly cs: CiphersuiteImpl
  readonly seats: readonly Seat[]
  readonly shape: Shape
  readonly capabilities: Capabilities
  readonly extensions: Extension[]
  readonly clientConfig: ClientConfig
  readonly lifetime: { notBefore: bigint; notAfter: bigint }
  /** Of the package that will use the states: published and patched ones differ in their shape. */
  readonly createSecretTree: (
    width: number,
    secret: Uint8Array,
    kdf: CiphersuiteImpl['kdf'],
  ) => Promise<ClientState['secretTree']>
}

/**
 * The states of the first and the last of many members, without the commits that would have led there. Flat: what adds
 * alone leave behind. Full: everybody has committed once. The last one alone has keys that open: the others' are only published,
 * since the first one does nothing but commit, and making ten thousand would take longer than what is measured.
 */
export async function buildGroup(real: Plan): Promise<[ClientState, ClientState]> {
  const { cs, seats, shape } = real
  const shown = { ...real, cs: { ...cs, hpke: await withOneKey(cs.hpke, cs.rng.randomBytes) } }
  const planOf = (i: number) => (i === seats.length - 1 ? real : shown)
  const groupId = cs.rng.randomBytes(32)
  let width = 1
  while (width < seats.length) width *= 2
  const tree: RatchetTree = Array.from({ length: 2 * width - 1 }, () => undefined)
  const privateKeys = new Map<number, Uint8Array>()
  for (const [i, seat] of seats.entries()) await addLeaf(planOf(i), tree, privateKeys, i, seat)
  if (shape === 'full')
    for (const [i, seat] of seats.entries()) await commitLeaf(planOf(i), tree, privateKeys, groupId, i, seat)

  const confirmedTranscriptHash = cs.rng.randomBytes(cs.kdf.size)
  const groupContext = {
    version: 'mls10' as const,
    cipherSuite: cs.name,
    epoch: 5n,
    treeHash: await treeHashRoot(tree, cs.hash),
    groupId,
    extensions: real.extensions,
    confirmedTranscriptHash,
  }
  const epochSecret = cs.rng.randomBytes(cs.kdf.size)
  const keySchedule = await initializeKeySchedule(epochSecret, cs.kdf)
  const confirmationTag = await createConfirmationTag(keySchedule.confirmationKey, confirmedTranscriptHash, cs.hash)
  const stateOf = async (leafIndex: number): Promise<ClientState> => {
    const leaf = leafToNodeIndex(toLeafIndex(leafIndex))
    const path = [leaf, ...directPath(leaf, width)].filter((node) => tree[node] !== undefined)
    return {
      groupContext,
      keySchedule: structuredClone(keySchedule),
      secretTree: await real.createSecretTree(width, await deriveSecret(epochSecret, 'encryption', cs.kdf), cs.kdf),
      ratchetTree: tree,
      privatePath: {
        leafIndex,
        privateKeys: Object.fromEntries(path.map((node) => [node, privateKeys.get(node) ?? new Uint8Array()])),
      },
      signaturePrivateKey: seats[leafIndex]?.signKey ?? new Uint8Array(),
      unappliedProposals: {},
      confirmationTag,
      historicalReceiverData: new Map(),
      groupActiveState: { kind: 'active' },
      clientConfig: real.clientConfig,
    }
  }
  return [await stateOf(0), await stateOf(seats.length - 1)]
}

/** Distinct public keys that anybody can seal to, all with one private key. */
export async function withOneKey(hpke: Hpke, dice: (length: number) => Uint8Array): Promise<Hpke> {
  const pair = await hpke.generateKeyPair()
  const shared = await hpke.exportPublicKey(pair.publicKey)
  const distinct = async () => {
    const bytes = shared.slice()
    bytes.set(dice(32), bytes.length - 32) // any 32 bytes are a public key of X25519
    return { privateKey: pair.privateKey, publicKey: await hpke.importPublicKey(bytes) }
  }
  return { ...hpke, generateKeyPair: distinct, deriveKeyPair: distinct }
}

async function addLeaf(
  { cs, capabilities, lifetime }: Plan,
  tree: RatchetTree,
  keys: Map<number, Uint8Array>,
  i: number,
  seat: Seat,
) {
  const pair = await cs.hpke.generateKeyPair()
  const leaf = await signLeafNodeKeyPackage(
    {
      leafNodeSource: 'key_package',
      hpkePublicKey: await cs.hpke.exportPublicKey(pair.publicKey),
      signaturePublicKey: seat.publicKey,
      extensions: [],
      credential: { credentialType: 'basic', identity: seat.certificate },
      capabilities,
      lifetime,
    },
    seat.signKey,
    cs.signature,
  )
  keys.set(2 * i, await cs.hpke.exportPrivateKey(pair.privateKey))
  tree[2 * i] = { nodeType: 'leaf', leaf }
}

/** What an empty commit of that leaf does to the tree. */
async function commitLeaf(
  { cs }: Plan,
  tree: RatchetTree,
  keys: Map<number, Uint8Array>,
  groupId: Uint8Array,
  i: number,
  seat: Seat,
) {
  const leafIndex = toLeafIndex(i)
  const leafNode = leafToNodeIndex(leafIndex)
  const path = filteredDirectPathAndCopathResolution(leafIndex, tree)
  for (const node of directPath(leafNode, leafWidth(tree.length))) tree[node] = undefined
  let secret = cs.rng.randomBytes(cs.kdf.size)
  const own = await cs.hpke.generateKeyPair()
  for (const { nodeIndex } of path) {
    secret = await deriveSecret(secret, 'path', cs.kdf)
    const pair = await cs.hpke.deriveKeyPair(await deriveSecret(secret, 'node', cs.kdf))
    keys.set(nodeIndex, await cs.hpke.exportPrivateKey(pair.privateKey))
    const hpkePublicKey = await cs.hpke.exportPublicKey(pair.publicKey)
    tree[nodeIndex] = {
      nodeType: 'parent',
      parent: { hpkePublicKey, parentHash: new Uint8Array(), unmergedLeaves: [] },
    }
  }
  for (const { nodeIndex } of path.toReversed()) {
    const node = tree[nodeIndex]
    if (node?.nodeType !== 'parent') continue
    const [parentHash] = await calculateParentHash(tree, nodeIndex, cs.hash)
    tree[nodeIndex] = { nodeType: 'parent', parent: { ...node.parent, parentHash } }
  }
  const before = tree[leafNode]
  if (before?.nodeType !== 'leaf') return
  const { capabilities, credential, signaturePublicKey } = before.leaf
  const [parentHash] = await calculateParentHash(tree, leafNode, cs.hash)
  const hpkePublicKey = await cs.hpke.exportPublicKey(own.publicKey)
  const tbs = {
    leafNodeSource: 'commit' as const,
    hpkePublicKey,
    extensions: [],
    capabilities,
    credential,
    signaturePublicKey,
  }
  const leaf = await signLeafNodeCommit({ ...tbs, parentHash, groupId, leafIndex: i }, seat.signKey, cs.signature)
  tree[leafNode] = { nodeType: 'leaf', leaf }
  keys.set(leafNode, await cs.hpke.exportPrivateKey(own.privateKey))
}
