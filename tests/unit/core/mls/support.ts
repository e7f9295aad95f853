import { sha256 } from '#core/crypto/hash.ts'
import type { Dice } from '#core/crypto/random.ts'
import { generateSigningKey, type SigningKeyPair, sign, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { decodeCertificate, encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import {
  createGroup,
  decodeGroup,
  encodeGroup,
  type Group,
  type GroupRow,
  joinGroup,
  type MadeKeyPackage,
  makeKeyPackage,
  mergeStaged,
  type Opened,
  openMessage,
  type Role,
  type RowName,
  type Signer,
  type StagedCommit,
  SUITE_CLASSICAL,
  SUITE_XWING,
  type SuiteId,
  sealMessage,
  stageCommit,
} from '#core/mls/index.ts'
import type { AccountId, DeviceId } from '#core/wire/ids.ts'

export const DAY_MS = 24 * 60 * 60 * 1000
export const NOW_MS = 1_800_000_000_000
export const NO_SEATS = new Uint8Array(32)
export const SUITES = [
  { name: 'classical', suite: SUITE_CLASSICAL },
  { name: 'X-Wing', suite: SUITE_XWING },
] as const

/** Random bytes that a seed decides. */
export function seededDice(seed: string): Dice {
  let block = 0
  return (length) => {
    const out = new Uint8Array(length)
    for (let at = 0; at < length; at += 32) {
      out.set(sha256(new TextEncoder().encode(`${seed}/${block++}`)).subarray(0, length - at), at)
    }
    return out
  }
}

export type Device = {
  readonly account: AccountId
  readonly deviceId: DeviceId
  readonly certificate: Uint8Array
  readonly signer: Signer
  readonly keys: SigningKeyPair
}
export type Account = {
  readonly id: AccountId
  readonly root: Awaited<ReturnType<typeof signingKeyFromSeed>>
  readonly devices: readonly Device[]
  readonly manifest: Uint8Array
  readonly sequence: number
}

export async function makeDevice(root: Account['root'], sequence = 1): Promise<Device> {
  const keys = await generateSigningKey()
  return certify(root, keys, crypto.getRandomValues(new Uint8Array(16)) as DeviceId, sequence)
}

export async function certify(
  root: Account['root'],
  keys: SigningKeyPair,
  deviceId: DeviceId,
  sequence: number,
): Promise<Device> {
  const account = root.publicKey as AccountId
  const certificate = await signCertificate({ account, deviceId, signatureKey: keys.publicKey, sequence }, root)
  const signer = { publicKey: keys.publicKey, sign: (data: Uint8Array) => sign(keys.privateKey, data) }
  return { account, deviceId, certificate: encodeCertificate(certificate), signer, keys }
}

export async function makeAccount(name: string, devices = 1): Promise<Account> {
  const root = await signingKeyFromSeed(sha256(new TextEncoder().encode(name)))
  const made = await Promise.all(Array.from({ length: devices }, () => makeDevice(root)))
  return withDevices(root, made, 1)
}

export async function withDevices(
  root: Account['root'],
  devices: readonly Device[],
  sequence: number,
): Promise<Account> {
  const listed = devices.map(({ certificate }) => ({
    certificate: decodeCertificate(certificate),
    hpkeKey: new Uint8Array(32).fill(9),
  }))
  const id = root.publicKey as AccountId
  const manifest = await signManifest({ account: id, sequence, devices: listed }, root)
  return { id, root, devices, manifest, sequence }
}

export function deviceOf(account: Account, index = 0): Device {
  const device = account.devices[index]
  if (device === undefined) throw new Error('no such device')
  return device
}

export type World = { readonly suite: SuiteId; readonly dice: Dice; readonly nowMs: number }

export function world(suite: SuiteId = SUITE_CLASSICAL, seed = 'world'): World {
  return { suite, dice: seededDice(seed), nowMs: NOW_MS }
}

export function packageOf(w: World, device: Device, lifetimeMs = 30 * DAY_MS): Promise<MadeKeyPackage> {
  const { suite, nowMs } = w
  const { signer, certificate } = device
  return makeKeyPackage({ suite, signer, certificate, nowMs, lifetimeMs }, w.dice)
}

export function create(
  w: World,
  account: Account,
  roles: readonly { account: AccountId; role: Role }[] = [],
  kind: 'direct' | 'group' = 'group',
): Promise<Group> {
  const { signer, certificate } = deviceOf(account)
  return createGroup(
    {
      suite: w.suite,
      groupId: w.dice(32),
      signer,
      certificate,
      kind,
      roles: [{ account: account.id, role: 'owner' }, ...roles],
      manifests: [{ account: account.id, sequence: account.sequence }],
      nowMs: w.nowMs,
    },
    w.dice,
  )
}

export type Changes = {
  readonly adds?: readonly Uint8Array[]
  readonly removes?: readonly number[]
  readonly roles?: readonly { account: AccountId; role: Role }[]
  readonly manifests?: readonly Uint8Array[]
  readonly timeMs?: number
}

export function stage(w: World, group: Group, changes: Changes = {}): Promise<StagedCommit> {
  const { adds = [], removes = [], roles, manifests = [], timeMs = w.nowMs } = changes
  const authenticatedData = { timeMs, seatsHash: NO_SEATS, manifests }
  return stageCommit(group, { adds, removes, ...(roles === undefined ? {} : { roles }), authenticatedData }, w.dice)
}

export async function merge(group: Group, staged: StagedCommit, nowMs = staged.next.lastCommitMs): Promise<Group> {
  return (await mergeStaged(group, staged.next, nowMs)).next
}

export async function open(w: World, group: Group, bytes: Uint8Array): Promise<Opened> {
  return openMessage(group, bytes, w.nowMs)
}

export async function openText(w: World, group: Group, bytes: Uint8Array): Promise<{ next: Group; text: string }> {
  const opened = await open(w, group, bytes)
  if (opened.kind !== 'message') throw new Error('a commit')
  return { next: opened.next, text: new TextDecoder().decode(opened.plaintext) }
}

export async function follow(w: World, group: Group, commit: Uint8Array): Promise<Group> {
  const opened = await open(w, group, commit)
  if (opened.kind !== 'commit') throw new Error('a message')
  return opened.next
}

export async function say(w: World, group: Group, text: string): Promise<{ next: Group; message: Uint8Array }> {
  return sealMessage(group, new TextEncoder().encode(text), new Uint8Array(), w.dice)
}

export async function join(staged: StagedCommit, made: MadeKeyPackage, device: Device): Promise<Group> {
  const own = staged.welcomes.find(({ keyPackageRef }) => keyPackageRef.join() === made.ref.join())
  if (own === undefined) throw new Error('no welcome for this key package')
  const { keyPackage, secret } = made
  return joinGroup({ welcome: own.welcome, tree: staged.tree, keyPackage, secret, signer: device.signer })
}

/** Through bytes and back, as after a restart. */
export function restored(group: Group): Group {
  return decodeGroup(encodeGroup(group).put, group.signer)
}

/** Rows of one group as the engine keeps them: what changed goes in, and all of them come back. */
export class Disk {
  readonly #rows = new Map<string, GroupRow>()
  #stored: Group | undefined

  /** @returns the rows that were put */
  save(group: Group): readonly GroupRow[] {
    const { put, drop } = encodeGroup(group, this.#stored)
    for (const row of put) this.#rows.set(nameOf(row), row)
    for (const row of drop) this.#rows.delete(nameOf(row))
    this.#stored = group
    return put
  }

  load(signer: Signer): Group {
    this.#stored = decodeGroup(this.rows, signer)
    return this.#stored
  }

  get rows(): readonly GroupRow[] {
    return [...this.#rows.values()]
  }

  get names(): readonly string[] {
    return [...this.#rows.keys()].toSorted()
  }
}

export function nameOf({ part, at }: RowName): string {
  return `${part} ${at}`
}

export function bytesOf(rows: readonly GroupRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** A group of these accounts' first devices: the first one made it and added the others, in one commit. */
export async function groupOf(w: World, accounts: readonly Account[], roles: readonly Role[] = []): Promise<Group[]> {
  const [first, ...others] = accounts
  if (first === undefined) throw new Error('nobody')
  const given = others.flatMap(({ id }, i) => {
    const role = roles[i + 1]
    return role === undefined ? [] : [{ account: id, role }]
  })
  const group = await create(w, first, given)
  if (others.length === 0) return [group]
  const made = await Promise.all(others.map((account) => packageOf(w, deviceOf(account))))
  const staged = await stage(w, group, {
    adds: made.map(({ keyPackage }) => keyPackage),
    manifests: others.map(({ manifest }) => manifest),
  })
  const joined = await Promise.all(
    others.map((account, i) => {
      const own = made[i]
      if (own === undefined) throw new Error('no key package')
      return join(staged, own, deviceOf(account))
    }),
  )
  return [await merge(group, staged), ...joined]
}
