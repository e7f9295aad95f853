import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { newest } from '#core/keys/key-ring.ts'
import { DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import { readKeyRing } from '../account/key-ring.ts'
import { readDevice } from '../account/read-account.ts'
import { accountOf } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'

/**
 * Notes that a device is to be revoked, its keys rotated and its session ended, as one task (K-07, K-08): it is durable when
 * this resolves and is carried out when there is a connection. Asking again changes nothing. Runs in the turn 'realm'.
 * @throws InputError 'devices/no-root', 'devices/here' or 'devices/unknown'
 */
export async function noteRevocation(deps: Deps, id: string): Promise<void> {
  const account = await accountOf(deps)
  if (account.rootSeed === undefined) throw new InputError('devices/no-root')
  const deviceId = readDeviceId(id)
  const here = await readDevice(deps.store)
  if (here !== undefined && equalBytes(here.deviceId, deviceId)) throw new InputError('devices/here')
  const key = toBase64url(deviceId)
  if ((await deps.store.get('tasks', key)) !== undefined) return
  const { devices } = await checkManifest(account.manifest, account.account)
  if (!devices.some(({ certificate }) => equalBytes(certificate.deviceId, deviceId))) {
    throw new InputError('devices/unknown')
  }
  const from = newest((await readKeyRing(deps.store)).ring).generation
  const record = { task: 'revoke', deviceId, step: 'manifest', from, channels: [] } as const
  await deps.store.write([{ put: 'tasks', key, record }])
  deps.changes.announce({ what: 'devices' })
}

function readDeviceId(id: string): DeviceId {
  try {
    const bytes = fromBase64url(id)
    if (bytes.length === DEVICE_BYTES) return bytes as DeviceId
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  throw new InputError('devices/unknown')
}
