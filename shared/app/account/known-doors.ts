import { toBase64url } from '#core/bytes/base64url.ts'
import type { Door } from '#core/keys/door.ts'
import type { KnownDoor } from '../ports/records.ts'

/** What a device notes of a vault's door: enough to show it, and to know it again in another vault. */
export function knownDoor(door: Door): KnownDoor {
  if (door.kind === 'phrase') return { id: 'phrase', kind: 'phrase', name: '' }
  return { id: toBase64url(door.kind === 'device' ? door.deviceId : door.id), kind: door.kind, name: door.name }
}

/** VLT7: of the doors of a vault that is behind, those that the later one had: one that was closed meanwhile stays closed. */
export function doorsKnown(doors: readonly Door[], known: readonly KnownDoor[]): Door[] {
  return doors.filter((door) => {
    const { kind, id } = knownDoor(door)
    return kind === 'phrase' || known.some((one) => one.kind === kind && one.id === id)
  })
}
