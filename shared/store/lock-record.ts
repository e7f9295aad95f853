import type { LockDoor, LockRecord } from '#app/ports/lock.ts'
import { concatBytes } from '#core/bytes/concat.ts'
import { checkArgon2Params } from '#core/crypto/argon2id.ts'
import { StoreError, WireError } from '#core/errors.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'

/**
 * The lock's row: 1B version, then CBOR. It lies in the clear beside the table keys, under a key that is no table's name;
 * whoever can write it can as well delete everything, and gains nothing that opens.
 */
export const LOCK_ROW = 'lock'
const VERSION = 1
const MAX_BYTES = 4096

export function encodeLock({ id, door, sealed, afterMinutes }: LockRecord): Uint8Array {
  return concatBytes(Uint8Array.of(VERSION), encodeCbor({ id, door, sealed, afterMinutes }))
}

/** @throws StoreError 'store/newer' for a later layout, 'store/broken' for anything else that this code did not write */
export function decodeLock(bytes: Uint8Array): LockRecord {
  if (bytes[0] !== VERSION) throw new StoreError('store/newer')
  try {
    const { id, door, sealed, afterMinutes } = decodeCbor(bytes.subarray(1), MAX_BYTES) as Record<string, unknown>
    return {
      id: takeBytes(id),
      door: takeDoor(door),
      sealed: takeBytes(sealed),
      afterMinutes: takeCount(afterMinutes),
    }
  } catch (cause) {
    throw new StoreError('store/broken', { cause })
  }
}

function takeDoor(value: unknown): LockDoor {
  const door = value as Record<string, unknown>
  if (door.by === 'passkey') {
    return { by: 'passkey', credentialId: takeBytes(door.credentialId), prfSalt: takeBytes(door.prfSalt) }
  }
  if (door.by !== 'passphrase') throw new WireError('lock/door')
  const params = {
    salt: takeBytes(door.salt),
    memoryKib: takeCount(door.memoryKib),
    passes: takeCount(door.passes),
    lanes: takeCount(door.lanes),
  }
  checkArgon2Params(params) // a damaged row must not ask for all the memory there is
  return { by: 'passphrase', ...params }
}

function takeBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new WireError('lock/bytes')
  return value.slice()
}

function takeCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new WireError('lock/count')
  return value
}
