import { equalBytes } from '#core/bytes/equal.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { InputError, StateError, UsageError } from '#core/errors.ts'
import { type ListedDevice, MAX_DEVICES, type Manifest, signManifest } from '#core/identity/manifest.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord } from '../ports/records.ts'
import { accountOf, adoptManifest, offerManifest, settleManifest } from './settle-manifest.ts'

type Listed = Pick<Manifest, 'devices' | 'vault'>
/** Pure and safe to repeat: it is asked again after every lost race. Undefined: it is as it should be. */
export type ManifestChange = (now: Manifest, sequence: number, root: SigningKey) => Promise<Listed | undefined>

/** Another root device can win each time only by changing something each time. */
const MAX_ROUNDS = 8

/**
 * Changes the account's manifest (K-05): on top of the newest one, signed with the next number, stored before it is sent,
 * and shown to nobody until the realm has taken it. Devices that change it at once end with one story: the loser starts
 * over from the winner's. Runs in the turn 'realm'; needs a connection.
 * @throws InputError 'devices/no-root' on a device that has not the root; RelayError
 */
export async function changeManifest(deps: Deps, change: ManifestChange): Promise<Manifest> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = await settleManifest(deps)
    const account = await accountOf(deps)
    const root = await rootOf(account)
    const sequence = now.sequence + 1
    const listed = await change(now, sequence, root)
    if (listed === undefined) return now
    refuseOld(now.devices, listed.devices, sequence)
    const manifest = await signManifest({ ...listed, account: account.account, sequence }, root)
    await deps.store.write([
      { put: 'meta', key: 'manifestChange', record: { kind: 'manifestChange', manifest, sequence } },
    ])
    if (await offerManifest(deps, manifest)) return adoptManifest(deps, account, manifest)
  }
  throw new StateError('manifest/contended')
}

/** MAN8, MAN12: this device never lists one that was certified for an earlier manifest and is not in the last (K-07). */
function refuseOld(before: readonly ListedDevice[], after: readonly ListedDevice[], sequence: number): void {
  if (after.length > MAX_DEVICES) throw new InputError('devices/too-many', { max: MAX_DEVICES })
  for (const { certificate } of after) {
    const isListed = before.some((known) => equalBytes(known.certificate.deviceId, certificate.deviceId))
    if (!isListed && certificate.sequence !== sequence) throw new UsageError('manifest/revived')
  }
}

/** The account's root, where the words were typed or made. @throws InputError 'devices/no-root' */
export async function rootOf(account: AccountRecord): Promise<SigningKey> {
  if (account.rootSeed === undefined) throw new InputError('devices/no-root')
  return signingKeyFromSeed(account.rootSeed)
}
