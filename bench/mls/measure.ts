import { createSecretTree } from 'ts-mls/secretTree.js'
import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { systemDice } from '#core/crypto/random.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { changeContext, toExtension } from '#core/mls/channel-context.ts'
import {
  decodeGroup,
  encodeGroup,
  encodeRatchets,
  type Group,
  joinGroup,
  makeKeyPackage,
  mergeStaged,
  openMessage,
  type Signer,
  type SuiteId,
  sealMessage,
  stageCommit,
} from '#core/mls/index.ts'
import { capabilitiesOf, clientConfig } from '#core/mls/leaf.ts'
import { provider } from '#core/mls/provider.ts'
import type { AccountId, DeviceId } from '#core/wire/ids.ts'
import { buildGroup, type Seat, type Shape } from './build-group.ts'
import { median, type Row } from './median.ts'

const NOW_MS = 1_800_000_000_000
const DAY_MS = 86_400_000

type Person = Seat & { readonly root: SigningKey; readonly signer: Signer; readonly manifest: Uint8Array }

async function person(name: string): Promise<Person> {
  const root = await signingKeyFromSeed(sha256(toUtf8(`root ${name}`)))
  const signKey = sha256(toUtf8(`device ${name}`))
  const key = await signingKeyFromSeed(signKey)
  const account = root.publicKey as AccountId
  const deviceId = sha256(toUtf8(`id ${name}`)).slice(0, 16) as DeviceId
  const certificate = await signCertificate({ account, deviceId, signatureKey: key.publicKey, sequence: 1 }, root)
  const manifest = await signManifest(
    { account, sequence: 1, devices: [{ certificate, hpkeKey: new Uint8Array(32) }] },
    root,
  )
  const signer = { publicKey: key.publicKey, sign: key.sign }
  return { root, signer, manifest, signKey, publicKey: key.publicKey, certificate: encodeCertificate(certificate) }
}

/** Two members of a group of that size. */
async function groups(suite: SuiteId, people: readonly Person[], shape: Shape): Promise<[Group, Group]> {
  const keys = new Map<string, SigningKey['sign']>()
  for (const { signKey, signer } of people) keys.set(signKey.join(), signer.sign)
  const base = provider(suite, { dice: systemDice })
  const sign = (key: Uint8Array, data: Uint8Array) =>
    keys.get(key.join())?.(data) ?? Promise.reject(new Error('no key'))
  const roles = people.map(({ root }) => ({ account: root.publicKey as AccountId, role: 'owner' as const }))
  const manifests = people.map(({ root }) => ({ account: root.publicKey as AccountId, sequence: 1 }))
  const context = changeContext({ kind: 'group', accounts: [] }, { roles: roles.slice(0, 1), manifests })
  const states = await buildGroup({
    cs: { ...base, signature: { ...base.signature, sign } },
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

const commitOf = (group: Group, adds: Uint8Array[], removes: number[], manifests: Uint8Array[]) =>
  stageCommit(
    group,
    { adds, removes, authenticatedData: { timeMs: NOW_MS, seatsHash: new Uint8Array(32), manifests } },
    systemDice,
  )

/** Milliseconds (medians) and bytes of everything that a device does in a group of that size and shape. */
export async function measure(suite: SuiteId, size: number, shape: Shape): Promise<Row> {
  const people = await Promise.all(Array.from({ length: size }, (_, i) => person(`${i}`)))
  const [first, last] = await groups(suite, people, shape)
  const joiner = await person('joiner')
  const { signer, certificate } = joiner
  const packageInput = { suite, signer, certificate, nowMs: NOW_MS, lifetimeMs: DAY_MS }
  const made = await makeKeyPackage(packageInput, systemDice)
  const adding = () => commitOf(first, [made.keyPackage], [], [joiner.manifest])
  const added = await adding()
  const updated = await commitOf(first, [], [], [])
  const welcome = added.welcomes[0]?.welcome ?? new Uint8Array()
  const joining = () =>
    joinGroup({ welcome, tree: added.tree, keyPackage: made.keyPackage, secret: made.secret, signer })
  const parts = encodeGroup(first)
  const row: Record<string, number> = {
    'key package': await median(() => makeKeyPackage(packageInput, systemDice)),
    'add one': await median(adding),
    'open an add': await median(() => openMessage(last, added.commit, NOW_MS)),
    join: await median(joining, 3),
    update: await median(() => commitOf(first, [], [], []), 3),
    'open an update': await median(() => openMessage(last, updated.commit, NOW_MS)),
    merge: await median(() => mergeStaged(first, updated.next)),
    encode: await median(async () => encodeGroup(first)),
    decode: await median(async () => decodeGroup(parts, first.signer)),
  }
  if (size > 2) {
    const removed = await commitOf(first, [], [1], [])
    row['remove one'] = await median(() => commitOf(first, [], [1], []), 3)
    row['open a remove'] = await median(() => openMessage(last, removed.commit, NOW_MS))
    row['B remove'] = removed.commit.length
  }
  // As in the middle of an epoch: both have sent and opened before.
  const once = await sealMessage(first, new Uint8Array(1), new Uint8Array(), systemDice)
  const { next: listening } = await openMessage(last, once.message, NOW_MS)
  for (const bytes of [256, 4096, 65_536]) {
    const plaintext = new Uint8Array(bytes)
    const sealed = await sealMessage(once.next, plaintext, new Uint8Array(), systemDice)
    row[`seal ${bytes} B`] = await median(() => sealMessage(once.next, plaintext, new Uint8Array(), systemDice), 50)
    row[`open ${bytes} B`] = await median(() => openMessage(listening, sealed.message, NOW_MS), 50)
    if (bytes === 256) row['B written, sent'] = encodeRatchets(sealed.next).length
  }
  const cold = decodeGroup(encodeGroup(last), last.signer)
  const start = performance.now()
  await openMessage(cold, updated.commit, NOW_MS)
  row['open an update, cold'] = performance.now() - start
  row['B key package'] = made.keyPackage.length
  row['B add'] = added.commit.length
  row['B welcome'] = welcome.length
  row['B tree'] = added.tree.length
  row['B update'] = updated.commit.length
  row['B stored'] = concatBytes(parts.tree, parts.epoch, parts.ratchets).length
  row['B stored epoch'] = encodeGroup(updated.next).epoch.length
  return row
}
