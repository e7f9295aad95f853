import { joinGroup, makePskIndex } from 'ts-mls/clientState.js'
import { decodeMlsMessage } from 'ts-mls/message.js'
import { processPrivateMessage, processPublicMessage } from 'ts-mls/processMessages.js'
import { decodeRatchetTree } from 'ts-mls/ratchetTree.js'
import { bytesToBase64 } from 'ts-mls/util/byteArray.js'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { provider } from '#core/mls/provider.ts'
import { SUITE_CLASSICAL } from '#core/mls/suite.ts'
import { decoded, fromHex, mlsVectors } from './mls-vectors.ts'

type Epoch = { readonly proposals: readonly string[]; readonly commit: string; readonly epoch_authenticator: string }
type Case = {
  readonly cipher_suite: number
  readonly external_psks: readonly { readonly psk_id: string; readonly psk: string }[]
  readonly key_package: string
  readonly encryption_priv: string
  readonly init_priv: string
  readonly welcome: string
  readonly ratchet_tree: string | null
  readonly initial_epoch_authenticator: string
  readonly epochs: readonly Epoch[]
}

const kinds = ['welcome', 'handling-commit', 'random'].map((kind) => ({
  kind,
  cases: mlsVectors<Case>(`passive-client-${kind}`).filter(({ cipher_suite }) => cipher_suite === SUITE_CLASSICAL),
}))
const cs = provider(SUITE_CLASSICAL)

/** A whole client that only listens, driven by what other implementations sent (RFC 9420). */
async function replay(vector: Case): Promise<void> {
  const psks = Object.fromEntries(
    vector.external_psks.map(({ psk_id, psk }) => [bytesToBase64(fromHex(psk_id)), fromHex(psk)]),
  )
  const own = decoded(decodeMlsMessage, vector.key_package)
  const welcome = decoded(decodeMlsMessage, vector.welcome)
  if (own.wireformat !== 'mls_key_package' || welcome.wireformat !== 'mls_welcome') throw new Error('other messages')
  const keys = {
    initPrivateKey: fromHex(vector.init_priv),
    hpkePrivateKey: fromHex(vector.encryption_priv),
    signaturePrivateKey: new Uint8Array(),
  }
  const tree = vector.ratchet_tree === null ? undefined : decoded(decodeRatchetTree, vector.ratchet_tree)
  let state = await joinGroup(welcome.welcome, own.keyPackage, keys, makePskIndex(undefined, psks), cs, tree)
  expect(toHex(state.keySchedule.epochAuthenticator)).toBe(vector.initial_epoch_authenticator)
  for (const { proposals, commit, epoch_authenticator } of vector.epochs) {
    for (const hex of [...proposals, commit]) {
      const message = decoded(decodeMlsMessage, hex)
      const index = makePskIndex(state, psks)
      if (message.wireformat === 'mls_private_message') {
        state = (await processPrivateMessage(state, message.privateMessage, index, cs)).newState
      } else if (message.wireformat === 'mls_public_message') {
        state = (await processPublicMessage(state, message.publicMessage, index, cs)).newState
      } else throw new Error('no handshake')
    }
    expect(toHex(state.keySchedule.epochAuthenticator)).toBe(epoch_authenticator)
  }
}

describe.each(kinds)('RFC 9420 passive client: $kind', ({ cases }) => {
  it.skipIf(cases.length === 0)('has cases', () => expect(cases.length).toBeGreaterThan(0))

  it.each(cases.map((vector, number) => ({ number, vector })))(
    '[C-01] case $number through our provider and the patched engine',
    ({ vector }) => replay(vector),
    120_000,
  )
})
