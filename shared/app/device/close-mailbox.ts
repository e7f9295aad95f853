import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { listLoggedDevices } from '../log/devices.ts'

/** Ends a revoked device's session at the realm (K-07): its mailbox is emptied and takes nothing more. */
export async function closeMailbox(deps: Deps, deviceId: DeviceId): Promise<void> {
  const logged = await listLoggedDevices(deps.store)
  const closer = logged.find((device) => equalBytes(device.deviceId, deviceId))?.closer
  if (closer === undefined) return // it never told the account's log
  try {
    await deps.relay.call('mailbox.close', closer)
  } catch (error) {
    if (!(error instanceof RelayError) || error.retryable) throw error // gone already, or of another realm
  }
}
