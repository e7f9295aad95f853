import { type ClientConfig, defaultClientConfig } from 'ts-mls/clientConfig.js'
import { type ClientState, createGroup, joinGroup } from 'ts-mls/clientState.js'
import { createCommit, createGroupInfoWithExternalPubAndRatchetTree, joinGroupExternal } from 'ts-mls/createCommit.js'
import { createApplicationMessage } from 'ts-mls/createMessage.js'
import { generateKeyPackageWithKey } from 'ts-mls/keyPackage.js'
import { mlsExporter } from 'ts-mls/keySchedule.js'
import { decodeMlsMessage, encodeMlsMessage, type MlsMessageContent } from 'ts-mls/message.js'
import { processPrivateMessage, processPublicMessage } from 'ts-mls/processMessages.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { toUtf8 } from '#core/bytes/utf8.ts'
import type { Dice } from '#core/crypto/random.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { SUITE_CLASSICAL } from '#core/mls/index.ts'
import { provider } from '#core/mls/provider.ts'
import { type Change, clientOf, type Device, EXPORTED_BYTES } from './device.ts'

const DAY_S = 86_400n
export const clientConfig: ClientConfig = {
  ...defaultClientConfig,
  paddingConfig: { kind: 'alwaysPad', paddingLength: 0 },
  authService: { validateCredential: async () => true },
}

/**
 * A device that runs what core/mls stands on: ts-mls as patched, with our provider. Not the policy above it: core-crypto's
 * credentials are client ids of its own, which MLS2 refuses.
 */
export async function ourDevice(dice: Dice): Promise<Device> {
  const { id } = clientOf(dice)
  const key = await signingKeyFromSeed(dice(32))
  const signer = { publicKey: key.publicKey, sign: key.sign }
  const cs = provider(SUITE_CLASSICAL, { dice, signer })
  const nowS = BigInt(Math.floor(Date.now() / 1000)) // core-crypto reads the clock
  const capabilities = {
    versions: ['mls10' as const],
    ciphersuites: [cs.name],
    extensions: [],
    proposals: [],
    credentials: ['basic' as const, 'x509' as const],
  }
  const generate = () =>
    generateKeyPackageWithKey(
      { credentialType: 'basic', identity: toUtf8(id) },
      capabilities,
      { notBefore: nowS - 3600n, notAfter: nowS + 30n * DAY_S },
      [],
      { publicKey: key.publicKey, signKey: new Uint8Array() },
      cs,
    )
  let own = await generate()
  let group: ClientState | undefined
  const state = (): ClientState => {
    if (group === undefined) throw new Error('in no group')
    return group
  }

  async function proposalsOf({ adds = [], removes = [] }: Change): Promise<Proposal[]> {
    const added = adds.map((bytes): Proposal => {
      const message = decode(bytes)
      if (message.wireformat !== 'mls_key_package') throw new Error('no key package')
      return { proposalType: 'add', add: { keyPackage: message.keyPackage } }
    })
    const removed = removes.map((name): Proposal => {
      const leaf = state().ratchetTree.findIndex((node) => node?.nodeType === 'leaf' && nameIn(node.leaf) === name)
      return { proposalType: 'remove', remove: { removed: leaf / 2 } }
    })
    return [...added, ...removed]
  }

  async function take(bytes: Uint8Array): Promise<Uint8Array | undefined> {
    const message = decode(bytes)
    const before = state()
    if (message.wireformat === 'mls_public_message') {
      group = (await processPublicMessage(before, message.publicMessage, emptyPskIndex, cs)).newState
      return undefined
    }
    if (message.wireformat !== 'mls_private_message') throw new Error('neither public nor private')
    const opened = await processPrivateMessage(before, message.privateMessage, emptyPskIndex, cs)
    group = opened.newState
    return opened.kind === 'applicationMessage' ? opened.message : undefined
  }

  return {
    engine: 'ours',
    id,
    keyPackage: async () => {
      own = await generate()
      return encode({ wireformat: 'mls_key_package', keyPackage: own.publicPackage })
    },
    create: async (groupId) => {
      group = await createGroup(groupId, own.publicPackage, own.privatePackage, [], cs, clientConfig)
    },
    join: async (bytes) => {
      const message = decode(bytes)
      if (message.wireformat !== 'mls_welcome') throw new Error('no welcome')
      const { publicPackage, privatePackage } = own
      const args = [publicPackage, privatePackage, emptyPskIndex, cs, undefined, undefined, clientConfig] as const
      group = await joinGroup(message.welcome, ...args)
    },
    joinBy: async (bytes) => {
      const message = decode(bytes)
      if (message.wireformat !== 'mls_group_info') throw new Error('no group info')
      const { publicPackage, privatePackage } = own
      const args = [publicPackage, privatePackage, false, cs, undefined, clientConfig] as const
      const joined = await joinGroupExternal(message.groupInfo, ...args)
      group = joined.newState
      return encode({ wireformat: 'mls_public_message', publicMessage: joined.publicMessage })
    },
    commit: async (change) => {
      const extraProposals = await proposalsOf(change)
      const options = { extraProposals, wireAsPublicMessage: true, ratchetTreeExtension: true }
      const made = await createCommit({ state: state(), cipherSuite: cs }, options)
      group = made.newState
      const commit = encodeMlsMessage(made.commit)
      if (made.welcome === undefined) return { commit }
      return { commit, welcome: encode({ wireformat: 'mls_welcome', welcome: made.welcome }) }
    },
    groupInfo: async () =>
      encode({
        wireformat: 'mls_group_info',
        groupInfo: await createGroupInfoWithExternalPubAndRatchetTree(state(), [], cs),
      }),
    follow: async (commit) => void (await take(commit)),
    seal: async (plaintext) => {
      const made = await createApplicationMessage(state(), plaintext, cs)
      group = made.newState
      return encode({ wireformat: 'mls_private_message', privateMessage: made.privateMessage })
    },
    open: async (message) => {
      const plaintext = await take(message)
      if (plaintext === undefined) throw new Error('no message')
      return plaintext
    },
    epoch: async () => Number(state().groupContext.epoch),
    exported: () => mlsExporter(state().keySchedule.exporterSecret, 'exporter', new Uint8Array(), EXPORTED_BYTES, cs),
    members: async () =>
      state()
        .ratchetTree.flatMap((node) => (node?.nodeType === 'leaf' ? [nameIn(node.leaf)] : []))
        .toSorted(),
  }
}

type Leaf = { readonly credential: { readonly credentialType: string; readonly identity?: Uint8Array } }

function nameIn({ credential }: Leaf): string {
  return new TextDecoder().decode(credential.identity)
}

function decode(bytes: Uint8Array) {
  const decoded = decodeMlsMessage(bytes.slice(), 0)
  if (decoded === undefined) throw new Error('no MLS message')
  return decoded[0]
}

function encode(content: MlsMessageContent): Uint8Array {
  return encodeMlsMessage({ version: 'mls10', ...content })
}
