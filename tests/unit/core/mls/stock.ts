import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as clientConfig from 'ts-mls/clientConfig.js'
import * as clientState from 'ts-mls/clientState.js'
import * as optional from 'ts-mls/codec/optional.js'
import * as variableLength from 'ts-mls/codec/variableLength.js'
import * as createCommit from 'ts-mls/createCommit.js'
import * as createMessage from 'ts-mls/createMessage.js'
import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import * as kdf from 'ts-mls/crypto/kdf.js'
import * as keyPackage from 'ts-mls/keyPackage.js'
import * as leafNode from 'ts-mls/leafNode.js'
import * as parentHash from 'ts-mls/parentHash.js'
import * as pathSecrets from 'ts-mls/pathSecrets.js'
import * as processMessages from 'ts-mls/processMessages.js'
import type { Proposal } from 'ts-mls/proposal.js'
import * as ratchetTree from 'ts-mls/ratchetTree.js'
import * as secretTree from 'ts-mls/secretTree.js'
import * as treeHash from 'ts-mls/treeHash.js'
import * as updatePath from 'ts-mls/updatePath.js'
import * as enumHelpers from 'ts-mls/util/enumHelpers.js'
import type { Welcome } from 'ts-mls/welcome.js'
import { systemDice } from '#core/crypto/random.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { provider } from '#core/mls/provider.ts'
import { SUITE_CLASSICAL } from '#core/mls/suite.ts'

/** The modules of ts-mls that the patches touch, as they are installed. */
const installed = {
  ...clientConfig,
  ...clientState,
  ...createMessage,
  ...kdf,
  ...keyPackage,
  ...leafNode,
  ...parentHash,
  ...pathSecrets,
  ...processMessages,
  ...ratchetTree,
  ...secretTree,
  ...treeHash,
  ...updatePath,
  ...createCommit,
  ...enumHelpers,
  ...optional,
  ...variableLength,
}
export type Mls = typeof installed

const MODULES = [
  'clientConfig',
  'clientState',
  'createMessage',
  'crypto/kdf',
  'keyPackage',
  'leafNode',
  'parentHash',
  'pathSecrets',
  'processMessages',
  'ratchetTree',
  'secretTree',
  'treeHash',
  'updatePath',
  'createCommit',
  'util/enumHelpers',
  'codec/optional',
  'codec/variableLength',
]
export const STOCK = resolve(import.meta.dirname, '../../../../node_modules/.stave-stock')

/** The same modules as published. */
export async function stockMls(): Promise<Mls> {
  const urls = MODULES.map((name) => pathToFileURL(`${STOCK}/ts-mls/dist/src/${name}.js`).href)
  const modules: Partial<Mls>[] = await Promise.all(urls.map((url) => import(/* @vite-ignore */ url)))
  return Object.assign({}, ...modules)
}
export const patchedMls: Mls = installed

/** With private keys as bytes, as the stock package wants them. */
export const cs: CiphersuiteImpl = {
  ...provider(SUITE_CLASSICAL, { dice: systemDice }),
  signature: {
    ...provider(SUITE_CLASSICAL).signature,
    sign: async (key, message) => (await signingKeyFromSeed(key)).sign(message),
    keygen: async () => {
      const signKey = systemDice(32)
      return { signKey, publicKey: (await signingKeyFromSeed(signKey)).publicKey }
    },
  },
}

export const EXTENSION = 0xf123
export type Keys = keyPackage.PrivateKeyPackage
export type Made = { readonly publicPackage: keyPackage.KeyPackage; readonly privatePackage: Keys }

export async function made(
  mls: Mls,
  name: string,
  keys?: { signKey: Uint8Array; publicKey: Uint8Array },
  dead = false,
) {
  const nowS = BigInt(Math.floor(Date.now() / 1000))
  const lifetime = dead ? { notBefore: 0n, notAfter: 1n } : { notBefore: nowS - 60n, notAfter: nowS + 3600n }
  const capabilities = {
    versions: ['mls10' as const],
    ciphersuites: [cs.name],
    extensions: [EXTENSION],
    proposals: [],
    credentials: ['basic' as const],
  }
  const credential = { credentialType: 'basic' as const, identity: new TextEncoder().encode(name) }
  const signing = keys ?? (await cs.signature.keygen())
  return mls.generateKeyPackageWithKey(credential, capabilities, lifetime, [], signing, cs)
}

export const add = ({ publicPackage }: Made): Proposal => ({ proposalType: 'add', add: { keyPackage: publicPackage } })
export const remove = (removed: number): Proposal => ({ proposalType: 'remove', remove: { removed } })
export const context = (data: string | undefined): Proposal => ({
  proposalType: 'group_context_extensions',
  groupContextExtensions: {
    extensions: data === undefined ? [] : [{ extensionType: EXTENSION, extensionData: new TextEncoder().encode(data) }],
  },
})

export const noPsks = { findPsk: () => undefined }

export function commit(mls: Mls, state: clientState.ClientState, extraProposals: Proposal[] = [], isPublic = false) {
  return mls.createCommit(
    { state, cipherSuite: cs },
    { extraProposals, ratchetTreeExtension: true, wireAsPublicMessage: isPublic },
  )
}

type Message = Awaited<ReturnType<typeof commit>>['commit']

export async function process(mls: Mls, state: clientState.ClientState, message: Message) {
  if (message.wireformat === 'mls_private_message') {
    return (await mls.processPrivateMessage(state, message.privateMessage, noPsks, cs)).newState
  }
  if (message.wireformat !== 'mls_public_message') throw new Error('no handshake')
  return (await mls.processPublicMessage(state, message.publicMessage, noPsks, cs)).newState
}

export function join(mls: Mls, welcome: Welcome | undefined, own: Made) {
  if (welcome === undefined) throw new Error('no welcome')
  return mls.joinGroup(welcome, own.publicPackage, own.privatePackage, noPsks, cs)
}

/** Members that one commit added, the first few of them joined: the first one made the group. */
export async function groupOf(mls: Mls, size: number, joined = size): Promise<clientState.ClientState[]> {
  const all = await Promise.all(Array.from({ length: size }, (_, i) => made(mls, `m${i}`)))
  const [first, ...others] = all
  if (first === undefined) throw new Error('nobody')
  const alone = await mls.createGroup(new Uint8Array(16), first.publicPackage, first.privatePackage, [], cs)
  const { newState, welcome } = await commit(mls, alone, others.map(add))
  return [newState, ...(await Promise.all(others.slice(0, joined - 1).map((own) => join(mls, welcome, own))))]
}
