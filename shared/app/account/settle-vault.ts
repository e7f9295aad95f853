import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { StateError } from '#core/errors.ts'
import { checkManifest, type ListedDevice, type Manifest } from '#core/identity/manifest.ts'
import type { Door, DoorKey } from '#core/keys/door.ts'
import { hashKeyRing, type KeyRing, newest } from '#core/keys/key-ring.ts'
import type { Deps } from '../deps.ts'
import { changeManifest } from './change-manifest.ts'
import { type KnownRing, noteSettled, readKeyRing, vaultDoorsOf } from './key-ring.ts'
import { accountOf } from './settle-manifest.ts'
import { changeVault, openFirstVault, takeVault, type VaultChange } from './vault.ts'

/** Another root device can have this one begin again only by changing who is listed each time. */
const MAX_ROUNDS = 8

/**
 * Brings the vault in line with the manifest: a door for each listed device and for nobody else, and a manifest that names the
 * ring. A door that goes takes a rotation with it (K-08), whichever device with the root sees it first: so a revocation is
 * finished though the device that began it never comes back. Idempotent. Runs in the turn 'realm'.
 * @param beyond a generation that is not good any more
 */
export async function settleVault(deps: Deps, beyond = 0): Promise<Manifest> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const settled = await settleOnce(deps, beyond)
    if (settled !== undefined) return settled
  }
  throw new StateError('vault/contended')
}

/** @returns undefined when another device has changed meanwhile who is listed: the doors are not those of that manifest */
async function settleOnce(deps: Deps, beyond: number): Promise<Manifest | undefined> {
  const account = await accountOf(deps)
  const manifest = await checkManifest(account.manifest, account.account)
  const known = await readKeyRing(deps.store)
  const { vault } = manifest
  if (vault === undefined) return manifest
  if (account.rootSeed === undefined) {
    if (vault.generation > newest(known.ring).generation) await takeVault(deps)
    return manifest
  }
  if (known.settledFor === manifest.sequence && newest(known.ring).generation > beyond) return manifest
  if (known.vaultNumber === 0) await openFirstVault(deps, [phraseDoorOf(vault), ...manifest.devices.map(doorOf)])
  const { phraseDoorSeed: seed } = known
  const key: DoorKey | undefined = seed && { kind: 'phrase', seed }
  const spent = isOpenToOthers(known, manifest) ? newest(known.ring).generation : 0
  const ring = await changeVault(deps, doorsFor(manifest, Math.max(beyond, spent)), key)
  const named = await nameRing(deps, ring)
  if (!listsTheSame(manifest, named)) return undefined
  await noteSettled(deps, named.sequence)
  return named
}

/** What was sealed to a device that is not listed any more is spent, whichever vault the realm shows now. */
function isOpenToOthers({ doors }: KnownRing, { devices }: Manifest): boolean {
  const listed = new Set(devices.map(({ certificate }) => toBase64url(certificate.deviceId)))
  return doors.some(({ kind, id }) => kind === 'device' && !listed.has(id))
}

/** Both in the order of their ids (MAN2). */
function listsTheSame(a: Manifest, b: Manifest): boolean {
  const isSame = (one: ListedDevice, other: ListedDevice | undefined): boolean =>
    other !== undefined && opensFor(doorOf(one), other)
  return a.devices.length === b.devices.length && a.devices.every((one, i) => isSame(one, b.devices[i]))
}

function doorsFor({ devices }: Manifest, beyond: number): VaultChange {
  return ({ ring, doors }) => {
    const kept = doors.filter((door) => door.kind !== 'device' || devices.some((listed) => opensFor(door, listed)))
    const missing = devices.filter((listed) => !kept.some((door) => opensFor(door, listed)))
    const rotate = kept.length < doors.length || newest(ring).generation <= beyond
    return rotate || missing.length > 0 ? { doors: [...kept, ...missing.map(doorOf)], rotate } : undefined
  }
}

/** The manifest names the ring that the vault holds; a later one than this device's is left alone. */
export function nameRing(deps: Deps, ring: KeyRing): Promise<Manifest> {
  return changeManifest(deps, async (now) => {
    if (now.vault === undefined || now.vault.generation > newest(ring).generation) return undefined
    if (equalBytes(now.vault.keyRingHash, hashKeyRing(ring))) return undefined
    return { ...now, vault: await vaultDoorsOf(ring, now.vault.phraseDoor) }
  })
}

function phraseDoorOf({ phraseDoor }: { readonly phraseDoor: Uint8Array }): Door {
  return { kind: 'phrase', publicKey: phraseDoor }
}

function doorOf({ certificate, hpkeKey }: ListedDevice): Door {
  return { kind: 'device', deviceId: certificate.deviceId, publicKey: hpkeKey, name: '' }
}

function opensFor(door: Door, { certificate, hpkeKey }: ListedDevice): boolean {
  return (
    door.kind === 'device' && equalBytes(door.deviceId, certificate.deviceId) && equalBytes(door.publicKey, hpkeKey)
  )
}
