import type { Capabilities } from 'ts-mls/capabilities.js'
import type { ClientState } from 'ts-mls/clientState.js'
import { createCommit } from 'ts-mls/createCommit.js'
import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import { generateKeyPackageWithKey } from 'ts-mls/keyPackage.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { encodeCommitData, type RoleChange } from '#core/mls/commit-data.ts'
import type { Group, ProfileChange, SpaceChange } from '#core/mls/index.ts'
import { decodeKeyPackageMessage } from '#core/mls/key-package.ts'
import { capabilitiesOf, toCredential } from '#core/mls/leaf.ts'
import { provider } from '#core/mls/provider.ts'
import { encodeMessage } from '#core/mls/wire.ts'
import { type Device, NO_SEATS, type World } from './support.ts'

export type Forgery = {
  readonly proposals?: readonly Proposal[]
  readonly timeMs?: number
  readonly manifests?: readonly Uint8Array[]
  readonly roles?: readonly RoleChange[]
  readonly profile?: ProfileChange
  readonly space?: SpaceChange
  readonly data?: Uint8Array
  readonly state?: ClientState
  readonly bend?: (cs: CiphersuiteImpl) => CiphersuiteImpl
  /** What can't be sealed to a key is left out, as whoever brought that key would. */
  readonly sealsAnything?: boolean
}

/** A commit by somebody who holds a seat and follows none of Stave's rules. */
export async function forge(w: World, group: Group, forgery: Forgery = {}): Promise<Uint8Array> {
  const {
    proposals = [],
    timeMs = w.nowMs,
    manifests = [],
    roles = [],
    profile,
    space,
    state = group.state,
    bend = (cs) => cs,
  } = forgery
  const changes = { ...(profile && { profile }), ...(space && { space }) }
  const data = forgery.data ?? encodeCommitData({ timeMs, seatsHash: NO_SEATS, manifests, roles, ...changes })
  const careless = {
    ...state.clientConfig,
    authService: { validateCredential: async () => true },
    keyPackageEqualityConfig: { compareKeyPackages: () => false, compareKeyPackageToLeafNode: () => false },
  }
  const honest = bend(provider(group.suite, { dice: w.dice, signer: group.signer }))
  const seal: typeof honest.hpke.seal = (...input) =>
    honest.hpke.seal(...input).catch(() => ({ ct: new Uint8Array(48), enc: new Uint8Array(32) }))
  const cipherSuite = forgery.sealsAnything ? { ...honest, hpke: { ...honest.hpke, seal } } : honest
  const made = await createCommit(
    { state: { ...state, clientConfig: careless }, cipherSuite },
    { extraProposals: [...proposals], authenticatedData: data },
  )
  if (made.commit.wireformat !== 'mls_private_message') throw new Error('a public message')
  return encodeMessage({ wireformat: 'mls_private_message', privateMessage: made.commit.privateMessage })
}

export const add = (keyPackage: Uint8Array): Proposal => ({
  proposalType: 'add',
  add: { keyPackage: decodeKeyPackageMessage(keyPackage) },
})
export const remove = (removed: number): Proposal => ({ proposalType: 'remove', remove: { removed } })

export type KeyPackageForgery = {
  readonly certificate?: Uint8Array
  readonly notBeforeMs?: number
  readonly notAfterMs?: number
  readonly capabilities?: Partial<Capabilities>
  /** This one is a key of low order. */
  readonly lowOrder?: 'init' | 'leaf'
}

/** A key package that is signed as it should be and says what it likes. */
export async function forgePackage(w: World, device: Device, forgery: KeyPackageForgery = {}): Promise<Uint8Array> {
  const { certificate = device.certificate, notBeforeMs = w.nowMs - 1000, notAfterMs = w.nowMs + 60_000 } = forgery
  const cs = provider(w.suite, { dice: w.dice, signer: device.signer })
  let exported = 0 // the init key first, then the leaf's
  const exportPublicKey: typeof cs.hpke.exportPublicKey = async (key) => {
    const bytes = await cs.hpke.exportPublicKey(key)
    return ['init', 'leaf'][exported++] === forgery.lowOrder ? bytes.slice().fill(0, -32) : bytes
  }
  const { publicPackage } = await generateKeyPackageWithKey(
    toCredential(certificate),
    { ...capabilitiesOf(w.suite), ...forgery.capabilities },
    { notBefore: BigInt(Math.floor(notBeforeMs / 1000)), notAfter: BigInt(Math.floor(notAfterMs / 1000)) },
    [],
    { publicKey: device.signer.publicKey, signKey: new Uint8Array() },
    { ...cs, hpke: { ...cs.hpke, exportPublicKey } },
  )
  return encodeMessage({ wireformat: 'mls_key_package', keyPackage: publicPackage })
}

/** The group's state with another credential in the committer's own leaf: its update path will carry it. */
export function withCredential({ state }: Group, certificate: Uint8Array): ClientState {
  const place = 2 * state.privatePath.leafIndex
  const own = state.ratchetTree[place]
  if (own?.nodeType !== 'leaf') throw new Error('no leaf')
  const ratchetTree = state.ratchetTree.slice()
  ratchetTree[place] = { nodeType: 'leaf', leaf: { ...own.leaf, credential: toCredential(certificate) } }
  return { ...state, ratchetTree }
}
