import { equalBytes } from '#core/bytes/equal.ts'
import { firstLogHead } from '#core/channel/log-chain.ts'
import { CryptoError, InputError, RelayError, StateError, StoreError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { type CheckedVault, checkVaultRecord, signVaultRecord } from '#core/identity/vault-record.ts'
import type { Door, DoorKey } from '#core/keys/door.ts'
import {
  continuesKeyRing,
  encodeKeyRing,
  hashKeyRing,
  type KeyRing,
  logAddressOf,
  newest,
  rotateKeyRing,
} from '#core/keys/key-ring.ts'
import { logOwner } from '#core/keys/tree.ts'
import { type OpenedVault, openVault, sealVault } from '#core/keys/vault.ts'
import type { Address } from '#core/wire/ids.ts'
import type { Place, VaultRecord } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import { HPKE_HANDLE } from './device-signer.ts'
import { readKeyRing } from './key-ring.ts'
import { doorsKnown, knownDoor } from './known-doors.ts'
import { logEnd, logPlace } from './log-end.ts'
import { readDevice, readRealm } from './read-account.ts'
import { accountOf } from './settle-manifest.ts'

/** Rotate: a new generation, whose ring nobody opens who has no door any more (K-08). Undefined: all is as it should be. */
export type VaultChange = (
  now: OpenedVault,
) => { readonly doors: readonly Door[]; readonly rotate: boolean } | undefined

const MAX_ROUNDS = 8
/** Another device was first: with the vault, or with the log whose end a rotation names. */
const LOST: ReadonlySet<string> = new Set(['vault/lost', 'log/behind'])

/**
 * Changes who opens the account's key ring (K-09), on top of the newest vault: a device that loses the race takes the winner's
 * ring through its own door and asks again what is to be changed. Runs in the turn 'realm'; needs a connection and the root.
 * @param key this device's own door, when absent
 * @throws InputError 'devices/no-root'; CryptoError
 */
export async function changeVault(deps: Deps, change: VaultChange, key?: DoorKey): Promise<KeyRing> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { number, generation, ...now } = await takeVault(deps, key)
    const address = await logAddress(deps, now.ring)
    const put = (ring: KeyRing, doors: readonly Door[], head: Place): Promise<boolean> =>
      putVault(deps, 'vault.put', { ring, number: number + 1, doors, address, head })
    if (generation < newest(now.ring).generation) {
      // I-08: a realm that was restored from before a rotation gets it again, and only then what is asked for: a door that
      // went on the way there would go without a rotation.
      await put(now.ring, now.doors, await logPlace(deps, now.ring, generation, address))
      continue
    }
    const next = change(now)
    if (next === undefined) return now.ring
    if (!next.rotate) {
      if (await put(now.ring, next.doors, { position: 0, head: firstLogHead(address) })) return now.ring
      continue
    }
    const end = await logEnd(deps, now.ring, address)
    const ring = rotateKeyRing(now.ring, { address, ...end }, deps.dice)
    if (await put(ring, next.doors, end)) return ring
  }
  throw new StateError('vault/contended')
}

/** The first vault, and with it the log (LOG1). Where another device was first, or an answer was lost, that one is taken. */
export async function openFirstVault(deps: Deps, doors: readonly Door[]): Promise<void> {
  const { ring } = await readKeyRing(deps.store)
  const address = await logAddress(deps, ring)
  const head = { position: 0, head: firstLogHead(address) }
  if (!(await putVault(deps, 'log.open', { ring, number: 1, doors, address, head }))) await takeVault(deps)
}

type TakenVault = OpenedVault & Pick<VaultRecord, 'number' | 'generation'>

/**
 * The realm's vault, opened; its ring is from here on this device's, unless this device knows a later one already. Then of
 * the doors there are those that the later one had too (VLT7).
 * @throws CryptoError 'vault/…' for one that the account did not make, or whose ring neither goes on from this device's nor is
 *   the one that the manifest names
 */
export async function takeVault(deps: Deps, key?: DoorKey): Promise<TakenVault> {
  const known = await readKeyRing(deps.store)
  const checked = await fetchVault(deps, known.ring, await logAddress(deps, known.ring))
  const { number, generation } = checked.record
  const { ring, doors } = await openVault(checked, key ?? (await deviceDoorKey(deps)))
  if (generation < newest(known.ring).generation && continuesKeyRing(ring, known.ring)) {
    return { ring: known.ring, doors: doorsKnown(doors, known.doors), number, generation }
  }
  // KRG2; or this device was told that its own ring had been taken when it was not: the root's word decides (VLT4).
  if (!continuesKeyRing(known.ring, ring) && !(await isNamed(deps, ring))) throw new CryptoError('vault/key-ring')
  const isSame = equalBytes(encodeKeyRing(known.ring), encodeKeyRing(ring))
  if (number > known.vaultNumber || !isSame) await keepRing(deps, { ring, doors }, number)
  return { ring, doors, number, generation }
}

async function isNamed(deps: Deps, ring: KeyRing): Promise<boolean> {
  const account = await accountOf(deps)
  const { vault } = await checkManifest(account.manifest, account.account)
  return vault !== undefined && equalBytes(vault.keyRingHash, hashKeyRing(ring))
}

export async function logAddress(deps: Pick<Deps, 'store'>, ring: KeyRing): Promise<Address> {
  const realm = await readRealm(deps.store)
  if (realm === undefined) throw new InputError('realm/none')
  return logAddressOf(ring.logAddressSecret, realm.noiseKey)
}

async function fetchVault(deps: Deps, ring: KeyRing, address: Address): Promise<CheckedVault> {
  const { owner, vault, signature } = await deps.relay.call('vault.get', { address })
  if (owner === undefined || vault === undefined || signature === undefined) throw new StateError('vault/none')
  if (!equalBytes(owner, ring.ownerKey)) throw new CryptoError('vault/owner')
  return checkVaultRecord(vault, signature, ring.ownerKey)
}

async function deviceDoorKey(deps: Deps): Promise<DoorKey> {
  const [privateKey, device] = await Promise.all([deps.handles.load(HPKE_HANDLE), readDevice(deps.store)])
  if (privateKey === undefined || device === undefined) throw new StoreError('store/keys-missing')
  return { kind: 'device', pair: { privateKey, publicKey: device.hpkeKey } }
}

type NewVault = {
  readonly ring: KeyRing
  readonly number: number
  readonly doors: readonly Door[]
  readonly address: Address
  readonly head: Place
}

/** @returns false when another device's vault is there */
async function putVault(deps: Deps, operation: 'log.open' | 'vault.put', next: NewVault): Promise<boolean> {
  const { ring, number, doors, address, head } = next
  const { rootSeed } = await accountOf(deps)
  if (rootSeed === undefined) throw new InputError('devices/no-root')
  const owner = await logOwner(rootSeed)
  const vault = await sealVault(ring, number, doors, deps.dice)
  const signature = await signVaultRecord(vault, owner)
  try {
    if (operation === 'log.open') {
      await deps.relay.call('log.open', { address, owner: owner.publicKey, vault, signature })
    } else await deps.relay.call('vault.put', { address, vault, signature, head })
  } catch (error) {
    if (!(error instanceof RelayError && LOST.has(error.code))) throw error
    return false
  }
  await keepRing(deps, { ring, doors }, number)
  return true
}

async function keepRing(deps: Deps, { ring, doors }: OpenedVault, vaultNumber: number): Promise<void> {
  const before = await deps.store.get('meta', 'keyRing')
  const record = { kind: 'keyRing', bytes: encodeKeyRing(ring), vaultNumber, doors: doors.map(knownDoor) } as const
  // VLT8: that this vault was taken or put does not say that this device has a door of its own in it.
  const seed = before?.kind === 'keyRing' && before.phraseDoorSeed && { phraseDoorSeed: before.phraseDoorSeed }
  await deps.store.write([{ put: 'meta', key: 'keyRing', record: { ...record, ...seed } }])
  deps.changes.announce({ what: 'devices' })
}
