import { createSecretTree } from 'ts-mls/secretTree.js'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { systemDice } from '#core/crypto/random.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { changeContext, toExtension } from '#core/mls/channel-context.ts'
import type { Group, Signer, SuiteId } from '#core/mls/index.ts'
import { capabilitiesOf, clientConfig } from '#core/mls/leaf.ts'
import { EMPTY_PROFILE } from '#core/mls/profile.ts'
import { provider } from '#core/mls/provider.ts'
import type { AccountId, DeviceId } from '#core/wire/ids.ts'
import { buildGroup, type Seat, type Shape, withOneKey } from './build-group.ts'

export const NOW_MS = 1_800_000_000_000

export type Person = Seat & { readonly root: SigningKey; readonly signer: Signer; readonly manifest: Uint8Array }

export async function person(name: string): Promise<Person> {
  const root = await signingKeyFromSeed(sha256(toUtf8(`root ${name}`)))
  const signKey = sha256(toUtf8(`device ${name}`))
  const key = await signingKeyFromSeed(signKey)
  const account = root.publicKey as AccountId
  const deviceId = sha256(toUtf8(`id ${name}`)).slice(0, 16) as DeviceId
  const certificate = await signCertificate({ account, deviceId, signatureKey: key.publicKey, sequence: 1 }, root)
  const manifest = await signManifest(
    { account, sequence: 1, devices: [{ certificate, hpkeKey: new Uint8Array(32).fill(9) }] },
    root,
  )
  const signer = { publicKey: key.publicKey, sign: key.sign }
  return { root, signer, manifest, signKey, publicKey: key.publicKey, certificate: encodeCertificate(certificate) }
}

/** Two members of a group of that size. `oneKey`: parents share one key pair and leaves have none that opens, for who looks at sizes alone. */
export async function groups(
  suite: SuiteId,
  people: readonly Person[],
  shape: Shape,
  oneKey = false,
): Promise<[Group, Group]> {
  const keys = new Map<string, SigningKey['sign']>()
  for (const { signKey, signer } of people) keys.set(signKey.join(), signer.sign)
  const base = provider(suite, { dice: systemDice })
  const sign = (key: Uint8Array, data: Uint8Array) =>
    keys.get(key.join())?.(data) ?? Promise.reject(new Error('no key'))
  const roles = people.map(({ root }) => ({ account: root.publicKey as AccountId, role: 'owner' as const }))
  const manifests = people.map(({ root }) => ({ account: root.publicKey as AccountId, sequence: 1 }))
  const context = changeContext(
    { kind: 'group', accounts: [], profile: EMPTY_PROFILE },
    { roles: roles.slice(0, 1), manifests },
  )
  const states = await buildGroup({
    cs: {
      ...base,
      signature: { ...base.signature, sign },
      ...(oneKey ? { hpke: await withOneKey(base.hpke, systemDice) } : {}),
    },
    seats: people,
    shape,
    capabilities: capabilitiesOf(suite),
    extensions: [toExtension(context)],
    clientConfig,
    lifetime: { notBefore: BigInt(NOW_MS / 1000 - 3600), notAfter: BigInt(NOW_MS / 1000 + 86_400) },
    createSecretTree,
  })
  const group = (at: 0 | 1): Group => {
    const signer = people.at(at === 0 ? 0 : -1)?.signer
    if (signer === undefined) throw new Error('nobody')
    const state = { ...states[at], signaturePrivateKey: new Uint8Array() }
    return { suite, signer, state, context, lastCommitMs: NOW_MS, past: new Map() }
  }
  return [group(0), group(1)]
}
