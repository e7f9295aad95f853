/**
 * Stands in for ts-mls 1.6.4's secretTree.js (patch P1). RFC 9420 section 9: the same secrets under the same labels, but
 * those of a leaf are derived when that leaf first sends, instead of all of them whenever an epoch begins (6,157 HKDF
 * expansions at 1,000 leaves). What is kept, and stored, is what was touched.
 *
 * A tree is { width, inner, leaves }: `inner` holds the secrets of nodes whose children are not derived yet, by node
 * index; `leaves` the two ratchets of each leaf that has sent. A node's secret is gone once its children are there
 * (section 9.2), so the frontier of `inner` and `leaves` covers every leaf exactly once.
 */
import { decodeUint32, uint32Encoder } from './codec/number.js'
import { mapDecoders } from './codec/tlsDecoder.js'
import { contramapBufferEncoders } from './codec/tlsEncoder.js'
import { decodeNumberRecord, decodeVarLenData, numberRecordEncoder, varLenDataEncoder } from './codec/variableLength.js'
import { deriveTreeSecret, expandWithLabel } from './crypto/kdf.js'
import { InternalError, ValidationError } from './mlsError.js'
import { isLeaf, leafToNodeIndex, left, right, root, toLeafIndex } from './treemath.js'

const LEFT = new TextEncoder().encode('left')
const RIGHT = new TextEncoder().encode('right')
const NO_CONTEXT = new Uint8Array()
const REUSE_GUARD_BYTES = 4

export const generationSecretEncoder = /* @__PURE__ */ contramapBufferEncoders(
  [varLenDataEncoder, uint32Encoder, /* @__PURE__ */ numberRecordEncoder(uint32Encoder, varLenDataEncoder)],
  (ratchet) => [ratchet.secret, ratchet.generation, ratchet.unusedGenerations],
)
export const decodeGenerationSecret = /* @__PURE__ */ mapDecoders(
  [decodeVarLenData, decodeUint32, /* @__PURE__ */ decodeNumberRecord(decodeUint32, decodeVarLenData)],
  (secret, generation, unusedGenerations) => ({ secret, generation, unusedGenerations }),
)
export const secretTreeNodeEncoder = /* @__PURE__ */ contramapBufferEncoders(
  [generationSecretEncoder, generationSecretEncoder],
  (node) => [node.handshake, node.application],
)
export const decodeSecretTreeNode = /* @__PURE__ */ mapDecoders(
  [decodeGenerationSecret, decodeGenerationSecret],
  (handshake, application) => ({ handshake, application }),
)
export const secretTreeEncoder = /* @__PURE__ */ contramapBufferEncoders(
  [
    uint32Encoder,
    /* @__PURE__ */ numberRecordEncoder(uint32Encoder, varLenDataEncoder),
    /* @__PURE__ */ numberRecordEncoder(uint32Encoder, secretTreeNodeEncoder),
  ],
  (tree) => [tree.width, tree.inner, tree.leaves],
)
export const decodeSecretTree = /* @__PURE__ */ mapDecoders(
  [
    decodeUint32,
    /* @__PURE__ */ decodeNumberRecord(decodeUint32, decodeVarLenData),
    /* @__PURE__ */ decodeNumberRecord(decodeUint32, decodeSecretTreeNode),
  ],
  (width, inner, leaves) => ({ width, inner, leaves }),
)

export function allSecretTreeValues(tree) {
  const values = Object.values(tree.inner)
  for (const { handshake, application } of Object.values(tree.leaves)) {
    for (const ratchet of [handshake, application]) {
      values.push(ratchet.secret, ...Object.values(ratchet.unusedGenerations))
    }
  }
  return values
}

/** Copies the secret: callers zero theirs right after. */
export async function createSecretTree(width, encryptionSecret, _kdf) {
  return { width, inner: { [root(width)]: encryptionSecret.slice() }, leaves: {} }
}

/** Goes on in the ratchet of `senderData.leafIndex` up to that generation, or takes back one that was skipped. */
export async function ratchetToGeneration(tree, senderData, contentType, config, cs) {
  const index = leafToNodeIndex(toLeafIndex(senderData.leafIndex))
  const opened = await openLeaf(tree, index, cs.kdf)
  const ratchet = opened.tree.leaves[index][ratchetOf(contentType)]
  const { generation: wanted, reuseGuard } = senderData
  const step = { tree: opened.tree, index, contentType, reuseGuard, consumed: opened.consumed }

  if (ratchet.generation > wanted) {
    const { [wanted]: kept, ...rest } = ratchet.unusedGenerations
    if (kept === undefined) throw new ValidationError('Desired gen in the past')
    return useSecret(step, kept, wanted, { ...ratchet, unusedGenerations: rest }, cs)
  }
  if (wanted - ratchet.generation > config.maximumForwardRatchetSteps) {
    throw new ValidationError('Desired generation too far in the future')
  }
  const unusedGenerations = { ...ratchet.unusedGenerations }
  let { secret, generation } = ratchet
  while (generation < wanted) {
    unusedGenerations[generation] = secret
    secret = await nextSecret(secret, generation, cs)
    generation++
  }
  const kept = Object.keys(unusedGenerations) // integer keys: in ascending order
  for (const old of kept.slice(0, Math.max(0, kept.length - config.retainKeysForGenerations))) {
    step.consumed.push(unusedGenerations[old])
    delete unusedGenerations[old]
  }
  const next = { secret: await nextSecret(secret, generation, cs), generation: generation + 1, unusedGenerations }
  return useSecret(step, secret, generation, next, cs)
}

export async function consumeRatchet(tree, index, contentType, cs) {
  const opened = await openLeaf(tree, index, cs.kdf)
  const ratchet = opened.tree.leaves[index][ratchetOf(contentType)]
  const { secret, generation } = ratchet
  const next = { ...ratchet, secret: await nextSecret(secret, generation, cs), generation: generation + 1 }
  const reuseGuard = cs.rng.randomBytes(REUSE_GUARD_BYTES)
  return useSecret({ ...opened, index, contentType, reuseGuard }, secret, generation, next, cs)
}

/** Derives from the nearest kept ancestor down to the leaf's two ratchets, deleting each parent on the way. */
async function openLeaf(tree, index, kdf) {
  if (tree.leaves[index] !== undefined) return { tree, consumed: [] }
  const path = pathTo(tree.width, index)
  const inner = { ...tree.inner }
  const consumed = []
  let depth = path.length - 1
  while (depth >= 0 && inner[path[depth]] === undefined) depth--
  if (depth < 0) throw new InternalError('Bad node index for secret tree')

  for (const node of path.slice(depth, -1)) {
    const secret = inner[node]
    inner[left(node)] = await expandWithLabel(secret, 'tree', LEFT, kdf.size, kdf)
    inner[right(node)] = await expandWithLabel(secret, 'tree', RIGHT, kdf.size, kdf)
    consumed.push(secret)
    delete inner[node]
  }
  const leafSecret = inner[index]
  delete inner[index]
  consumed.push(leafSecret)
  const start = async (label) => ({
    secret: await expandWithLabel(leafSecret, label, NO_CONTEXT, kdf.size, kdf),
    generation: 0,
    unusedGenerations: {},
  })
  const node = { handshake: await start('handshake'), application: await start('application') }
  return { tree: { width: tree.width, inner, leaves: { ...tree.leaves, [index]: node } }, consumed }
}

function pathTo(width, index) {
  const path = [root(width)]
  for (let node = path[0]; !isLeaf(node); path.push(node)) node = index < node ? left(node) : right(node)
  if (path.at(-1) !== index) throw new InternalError('Bad node index for secret tree')
  return path
}

/** A generation's key and nonce (section 9.1), the nonce masked by the reuse guard (section 6.3.1). */
async function useSecret({ tree, index, contentType, reuseGuard, consumed }, secret, generation, ratchet, cs) {
  const key = await deriveTreeSecret(secret, 'key', generation, cs.hpke.keyLength, cs.kdf)
  const nonce = await deriveTreeSecret(secret, 'nonce', generation, cs.hpke.nonceLength, cs.kdf)
  if (nonce.length < REUSE_GUARD_BYTES || reuseGuard.length !== REUSE_GUARD_BYTES) {
    throw new ValidationError('Reuse guard or nonce incorrect length')
  }
  for (let i = 0; i < REUSE_GUARD_BYTES; i++) nonce[i] ^= reuseGuard[i]
  const node = { ...tree.leaves[index], [ratchetOf(contentType)]: ratchet }
  const newTree = { ...tree, leaves: { ...tree.leaves, [index]: node } }
  return { generation, reuseGuard, nonce, key, newTree, consumed: [...consumed, secret, key] }
}

function nextSecret(secret, generation, cs) {
  return deriveTreeSecret(secret, 'secret', generation, cs.kdf.size, cs.kdf)
}

function ratchetOf(contentType) {
  return contentType === 'application' ? 'application' : 'handshake'
}
