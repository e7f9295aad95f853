import { toBase64url } from '#core/bytes/base64url.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import type { DeviceView, DoorView } from '../face.ts'
import { listLoggedDevices } from '../log/devices.ts'
import type { LoggedDevice } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/**
 * The devices that the manifest lists (K-05), as each told the account's log of itself, this one first; and those that are
 * being revoked, until all of that is done (K-07).
 */
export async function deviceViews(store: Store): Promise<readonly DeviceView[]> {
  const [account, here, logged, tasks] = await Promise.all([
    readAccount(store),
    readDevice(store),
    listLoggedDevices(store),
    store.list('tasks'),
  ])
  if (account === undefined || account.revoked || here === undefined) return []
  const { devices } = await checkManifest(account.manifest, account.account)
  const told = new Map(logged.map((device) => [toBase64url(device.deviceId), device]))
  const own = toBase64url(here.deviceId)
  const { deviceId, deviceName: name, deviceKind: device, linkedBy } = here
  told.set(own, { deviceId, name, device, linkedBy, seenDay: told.get(own)?.seenDay ?? 0 })
  const revoking = new Map(
    tasks.map(({ record }) => [
      toBase64url(record.deviceId),
      { step: record.step, left: record.step === 'channels' ? record.channels.length : 0 },
    ]),
  )
  const ids = new Set([own, ...devices.map(({ certificate }) => toBase64url(certificate.deviceId)), ...revoking.keys()])
  return [...ids].map((id) => {
    const step = revoking.get(id)
    return { ...viewOf(id, told), here: id === own, ...(step && { revoking: step }) }
  })
}

function viewOf(id: string, told: ReadonlyMap<string, LoggedDevice>): Omit<DeviceView, 'here' | 'revoking'> {
  const known = told.get(id)
  if (known === undefined) return { id, name: '', kind: 'web', holdsRoot: false, linkedBy: '', seenDay: 0 }
  const { name, device: kind, linkedBy, seenDay } = known
  const holder = linkedBy === undefined ? '' : (told.get(toBase64url(linkedBy))?.name ?? '')
  // Only what was set up from the words has the root; linking never gives it away (K-06).
  return { id, name, kind, holdsRoot: linkedBy === undefined, linkedBy: holder, seenDay }
}

/** What opens the vault besides devices, as this device last saw it (K-09). */
export async function doorViews(store: Store): Promise<readonly DoorView[]> {
  const ring = await store.get('meta', 'keyRing')
  return ring?.kind === 'keyRing' ? (ring.doors ?? []).filter(({ kind }) => kind !== 'device') : []
}
