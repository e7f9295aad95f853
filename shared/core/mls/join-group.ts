import { type ClientState, joinGroupWithExtensions } from 'ts-mls/clientState.js'
import { emptyPskIndex, type PskIndex } from 'ts-mls/pskIndex.js'
import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import { Reader } from '../bytes/reader.ts'
import { CryptoError, WireError } from '../errors.ts'
import { entryOf, isExtensionOf } from './channel-context.ts'
import { type Group, members } from './group.ts'
import { decodeJoinTree } from './join-tree.ts'
import { decodeKeyPackageMessage, decodeSecret } from './key-package.ts'
import { clientConfig } from './leaf.ts'
import { provider } from './provider.ts'
import type { Signer } from './signer.ts'
import { TIME_EXTENSION } from './stage-commit.ts'
import { suiteName, suiteOfName } from './suite.ts'
import { decodeMessage, guarded } from './wire.ts'

export type JoinInput = {
  readonly welcome: Uint8Array
  readonly tree: Uint8Array
  readonly keyPackage: Uint8Array
  readonly secret: Uint8Array
  readonly signer: Signer
}

/**
 * Joins by a welcome (MLS14). Every leaf of the tree is verified, as members did when it came in, but for lifetimes: a
 * leaf that is old is not refused, it is put up for removal.
 * @throws WireError, CryptoError
 */
export async function joinGroup(input: JoinInput): Promise<Group> {
  return joinWith(input, emptyPskIndex)
}

/** With `before` in the key schedule: the group that this one succeeds (reinit.ts). */
export async function joinWith(input: JoinInput, psks: PskIndex, before?: ClientState): Promise<Group> {
  const { welcome, tree, keyPackage, secret, signer } = input
  const message = decodeMessage(welcome)
  if (message.wireformat !== 'mls_welcome') throw new WireError('mls/welcome')
  const { suite, keys } = decodeSecret(secret)
  const own = decodeKeyPackageMessage(keyPackage)
  if (message.welcome.cipherSuite !== suiteName(suite) || suiteOfName(own.cipherSuite) !== suite) {
    throw new CryptoError('mls/policy/suite')
  }
  const { ratchetTree, context } = decodeJoinTree(tree, suite)
  const cs = provider(suite, { signer })
  const [state, extensions] = await guarded('mls/welcome', () =>
    joinGroupWithExtensions(message.welcome, own, keys, psks, cs, ratchetTree, before, clientConfig),
  )
  const group: Group = { suite, signer, state, context, lastCommitMs: timeOf(extensions), past: new Map() }
  checkMembers(group)
  return group
}

export function checkMembers(group: Group): void {
  const { context, state } = group
  if (!isExtensionOf(state.groupContext.extensions, context)) throw new CryptoError('mls/policy/context')
  const seen: { account: Uint8Array; deviceId: Uint8Array }[] = []
  const byDevice = new Map<string, typeof seen>()
  for (const { account, deviceId } of members(group)) {
    if (context.kind === 'direct' && entryOf(context, account).role !== 'owner')
      throw new CryptoError('mls/policy/direct')
    const key = toHex(deviceId)
    const same = byDevice.get(key) ?? []
    if (same.some((other) => equalBytes(other.account, account))) throw new CryptoError('mls/policy/device-present')
    byDevice.set(key, [...same, { account, deviceId }])
  }
}

type Extensions = readonly { readonly extensionType: unknown; readonly extensionData: Uint8Array }[]

export function timeOf(extensions: Extensions): number {
  const found = extensions.find(({ extensionType }) => extensionType === TIME_EXTENSION)
  if (found === undefined) throw new CryptoError('mls/policy/welcome-time')
  const r = new Reader(found.extensionData, 8)
  const timeMs = r.u64()
  r.end()
  return timeMs
}
