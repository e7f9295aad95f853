import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { firstLogHead } from '#core/channel/log-chain.ts'
import { CryptoError, InputError, RelayError, StateError, StoreError } from '#core/errors.ts'
import { type CheckedVault, checkVaultRecord, signVaultRecord } from '#core/identity/vault-record.ts'
import type { Door, DoorKey } from '#core/keys/door.ts'
import {
  continuesKeyRing,
  encodeKeyRing,
  type KeyRing,
  logAddressOf,
  newest,
  rotateKeyRing,
} from '#core/keys/key-ring.ts'
import { logOwner } from '#core/keys/tree.ts'
import { type OpenedVault, openVault, sealVault } from '#core/keys/vault.ts'
import type { Address } from '#core/wire/ids.ts'
import type { Place } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import type { KnownDoor } from '../ports/records.ts'
import { HPKE_HANDLE } from './device-signer.ts'
import { readKeyRing } from './key-ring.ts'
import { logEnd } from './log-end.ts'
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
    const { number, ...now } = await takeVault(deps, key)
    const next = change(now)
    if (next === undefined) return now.ring
    const address = await logAddress(deps, now.ring)
    const head = next.rotate ? await logEnd(deps, now.ring, address) : { position: 0, head: firstLogHead(address) }
    const ring = next.rotate ? rotateKeyRing(now.ring, { address, ...head }, deps.dice) : now.ring
    if (await putVault(deps, 'vault.put', { ring, number: number + 1, doors: next.doors, address, head })) return ring
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

/**
 * The newest vault, opened; its ring is from here on this device's. @throws CryptoError 'vault/…' for one that the account did
 * not make, or that goes on from another ring; StateError 'vault/older' from a realm that is behind
 */
export async function takeVault(deps: Deps, key?: DoorKey): Promise<OpenedVault & { readonly number: number }> {
  const known = await readKeyRing(deps.store)
  const checked = await fetchVault(deps, known.ring, await logAddress(deps, known.ring))
  const { number, generation } = checked.record
  if (number < known.vaultNumber || generation < newest(known.ring).generation) throw new StateError('vault/older')
  const opened = await openVault(checked, key ?? (await deviceDoorKey(deps)))
  if (!continuesKeyRing(known.ring, opened.ring)) throw new CryptoError('vault/key-ring') // KRG2
  if (number > known.vaultNumber) await keepRing(deps, opened, number)
  return { ...opened, number }
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
  const record = { kind: 'keyRing', bytes: encodeKeyRing(ring), vaultNumber, doors: doors.map(knownDoor) } as const
  await deps.store.write([{ put: 'meta', key: 'keyRing', record }])
  deps.changes.announce({ what: 'devices' })
}

function knownDoor(door: Door): KnownDoor {
  if (door.kind === 'phrase') return { id: 'phrase', kind: 'phrase', name: '' }
  return { id: toBase64url(door.kind === 'device' ? door.deviceId : door.id), kind: door.kind, name: door.name }
}
