import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { NewDevice } from '#core/link/ask.ts'
import { readDevice } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { listLoggedDevices } from '../log/devices.ts'
import { bookHash } from '../log/note-books.ts'

const DAY_MS = 86_400_000
const KEY_BYTES = 9

/**
 * What the new device called itself when it asked, so that the devices page has its name at once: older than anything that it
 * says of itself in the account's log, which replaces it. Runs in the turn 'log', when the grant is out: before, a device that
 * the log names is one that was here already (K-07).
 */
export async function noteLinked({ store, dice, clock }: Deps, { deviceId, name, kind }: NewDevice): Promise<void> {
  const [here, known] = await Promise.all([readDevice(store), listLoggedDevices(store)])
  if (here === undefined || known.some((one) => equalBytes(one.deviceId, deviceId))) return
  const seenDay = Math.floor(clock.now() / DAY_MS)
  const device = { deviceId, name, device: kind, linkedBy: here.deviceId, seenDay }
  const record = {
    stamp: 0,
    by: deviceId,
    hash: bookHash({ kind: 'device', at: 0, ...device }),
    position: 0,
    device,
  }
  await store.write([{ put: 'logged', key: ['device', toBase64url(dice(KEY_BYTES))], record }])
}
