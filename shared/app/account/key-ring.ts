import { StoreError } from '#core/errors.ts'
import type { VaultDoors } from '#core/identity/manifest.ts'
import { accountHpkePair, decodeKeyRing, hashKeyRing, type KeyRing, newest } from '#core/keys/key-ring.ts'
import type { Deps } from '../deps.ts'
import type { KnownDoor } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** The account's key ring as this device has it, and number and doors of the vault that it was taken from or put into. */
export type KnownRing = {
  readonly ring: KeyRing
  readonly vaultNumber: number
  readonly doors: readonly KnownDoor[]
  readonly settledFor?: number
  readonly phraseDoorSeed?: Uint8Array
}

/** @throws StoreError 'store/keys-missing' */
export async function readKeyRing(store: Pick<Store, 'get'>): Promise<KnownRing> {
  const record = await store.get('meta', 'keyRing')
  if (record?.kind !== 'keyRing') throw new StoreError('store/keys-missing')
  const { kind: _, bytes, doors = [], ...known } = record
  return { ...known, doors, ring: decodeKeyRing(bytes) }
}

/** The vault has the doors that this manifest asks for, and the manifest names the ring. */
export async function noteSettled({ store }: Pick<Deps, 'store'>, sequence: number): Promise<void> {
  const record = await store.get('meta', 'keyRing')
  if (record?.kind !== 'keyRing' || record.settledFor === sequence) return
  const { phraseDoorSeed: _, ...settled } = record // there is a door for this device now
  await store.write([{ put: 'meta', key: 'keyRing', record: { ...settled, settledFor: sequence } }])
}

/** What the manifest says of a ring (K-08): who opens a vault compares it, and channels seal to its newest key. */
export async function vaultDoorsOf(ring: KeyRing, phraseDoor: Uint8Array): Promise<VaultDoors> {
  const latest = newest(ring)
  const { publicKey } = await accountHpkePair(latest)
  return { phraseDoor, generation: latest.generation, keyRingHash: hashKeyRing(ring), hpkeKey: publicKey }
}
