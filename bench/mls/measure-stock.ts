import { defaultClientConfig } from 'ts-mls/clientConfig.js'
import { type ClientState, decodeGroupState, encodeGroupState, joinGroup } from 'ts-mls/clientState.js'
import { createCommit } from 'ts-mls/createCommit.js'
import { createApplicationMessage } from 'ts-mls/createMessage.js'
import { getCiphersuiteFromName } from 'ts-mls/crypto/ciphersuite.js'
import { getCiphersuiteImpl } from 'ts-mls/crypto/getCiphersuiteImpl.js'
import { generateKeyPackageWithKey } from 'ts-mls/keyPackage.js'
import { decodeMlsMessage, encodeMlsMessage, type MLSMessage } from 'ts-mls/message.js'
import { processPrivateMessage } from 'ts-mls/processMessages.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { createSecretTree } from 'ts-mls/secretTree.js'
import { buildGroup, type Seat, type Shape } from './build-group.ts'
import { MESSAGES, median, type Row } from './median.ts'

/** The same as measure.ts for the published package with its own provider, in the bundle that resolves to it. */
export async function measureStock(size: number, shape: Shape): Promise<Row> {
  const cs = await getCiphersuiteImpl(getCiphersuiteFromName('MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519'))
  const nowS = BigInt(Math.floor(Date.now() / 1000))
  const lifetime = { notBefore: nowS - 3600n, notAfter: nowS + 86_400n }
  const capabilities = {
    versions: ['mls10' as const],
    ciphersuites: [cs.name],
    extensions: [],
    proposals: [],
    credentials: ['basic' as const],
  }
  const seats = await Promise.all(
    Array.from(
      { length: size },
      async (): Promise<Seat> => ({
        certificate: cs.rng.randomBytes(149), // as long as ours
        ...(await cs.signature.keygen()),
      }),
    ),
  )
  const plan = {
    cs,
    seats,
    shape,
    capabilities,
    extensions: [],
    clientConfig: defaultClientConfig,
    lifetime,
    createSecretTree,
  }
  const [first, last] = await buildGroup(plan)
  const credential = { credentialType: 'basic' as const, identity: cs.rng.randomBytes(149) }
  const keys = await cs.signature.keygen()
  const makePackage = () => generateKeyPackageWithKey(credential, capabilities, lifetime, [], keys, cs)
  const made = await makePackage()

  const commitOf = (extraProposals: Proposal[]) => createCommit({ state: first, cipherSuite: cs }, { extraProposals })
  const add: Proposal = { proposalType: 'add', add: { keyPackage: made.publicPackage } }
  const added = await commitOf([add])
  const updated = await commitOf([])
  const open = async (state: ClientState, bytes: Uint8Array) => {
    const message = decodeMlsMessage(bytes, 0)?.[0]
    if (message?.wireformat !== 'mls_private_message') throw new Error('no private message')
    return processPrivateMessage(state, message.privateMessage, emptyPskIndex, cs)
  }
  const encoded = (message: MLSMessage) => encodeMlsMessage(message)
  const [addBytes, updateBytes] = [encoded(added.commit), encoded(updated.commit)]
  const { welcome } = added
  if (welcome === undefined) throw new Error('no welcome')
  const tree = added.newState.ratchetTree
  const state = encodeGroupState(first)
  const row: Record<string, number> = {
    'key package': await median(makePackage),
    'add one': await median(() => commitOf([add])),
    'open an add': await median(() => open(last, addBytes)),
    join: await median(() => joinGroup(welcome, made.publicPackage, made.privatePackage, emptyPskIndex, cs, tree), 3),
    update: await median(() => commitOf([]), 3),
    'open an update': await median(() => open(last, updateBytes)),
    encode: await median(async () => encodeGroupState(first)),
    decode: await median(async () => decodeGroupState(state, 0)),
  }
  if (size > 2) {
    const remove: Proposal = { proposalType: 'remove', remove: { removed: 1 } }
    const removeBytes = encoded((await commitOf([remove])).commit)
    row['remove one'] = await median(() => commitOf([remove]), 3)
    row['open a remove'] = await median(() => open(last, removeBytes))
  }
  for (const bytes of MESSAGES) {
    const plaintext = new Uint8Array(bytes)
    const sealed = await createApplicationMessage(first, plaintext, cs)
    const message = encoded({
      version: 'mls10',
      wireformat: 'mls_private_message',
      privateMessage: sealed.privateMessage,
    })
    row[`seal ${bytes} B`] = await median(() => createApplicationMessage(first, plaintext, cs), 21)
    row[`open ${bytes} B`] = await median(() => open(last, message), 21)
  }
  return row
}
