import { InputError, RelayError } from '#core/errors.ts'
import type { SuiteId } from '#core/mls/index.ts'
import { devicesOf } from '../channel/newcomers.ts'
import { askDirectory, withNewer } from '../contact/ask-directory.ts'
import { changeContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord, OfferRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { packageSuite } from './package-suites.ts'

/** How long adding waits for a relay that says when it has room again. */
const MAX_WAIT_MS = 60_000

/**
 * One key package of that suite of each device of a person, checked against the newest manifest that the realm shows and this device
 * believes (K-05). @returns undefined for a person none of whose devices can be added
 */
export async function takePackages(
  deps: Deps,
  turn: EngineHands['turn'],
  contact: Pick<ContactRecord, 'account' | 'manifest' | 'sequence'>,
  suite: SuiteId,
): Promise<OfferRecord | undefined> {
  const { account } = contact
  const answer = await patiently(deps, () => askDirectory(deps, contact))
  if (answer.is === 'wrong') return undefined
  const manifest = answer.is === 'newer' ? answer.manifest : contact.manifest
  if (answer.is === 'newer') await turn('realm', () => changeContact(deps, account, (now) => withNewer(now, answer)))
  const { devices } = await patiently(deps, () =>
    deps.relay.call('packages.take', { account, suite: packageSuite(suite) }),
  )
  const offered = devices.map(({ device, keyPackage, drop }) => ({ deviceId: device, keyPackage, drop }))
  try {
    const good = await devicesOf({ manifest, devices: offered }, suite)
    return { account, manifest, devices: good.devices.map(({ device }) => device) }
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

/** Many people are more than a connection may ask for at once: the relay says when to go on. */
export async function patiently<T>({ clock }: Pick<Deps, 'clock'>, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const waitMs =
        error instanceof RelayError && error.code.startsWith('quota/') ? Number(error.detail.waitMs ?? 0) : 0
      if (waitMs <= 0 || waitMs > MAX_WAIT_MS) throw error
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    }
  }
}
