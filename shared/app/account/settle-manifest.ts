import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, InputError, RelayError, StateError, WireError } from '#core/errors.ts'
import { encodeCertificate } from '#core/identity/certificate.ts'
import { checkManifest, type ListedDevice, type Manifest } from '#core/identity/manifest.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord, DeviceRecord } from '../ports/records.ts'
import type { Change } from '../ports/store.ts'
import { readAccount, readDevice } from './read-account.ts'

const MAX_ROUNDS = 4

/**
 * Brings the account's manifest here and the one at the realm together: a newer one is taken over, one that was signed
 * here and not answered is sent again unchanged, so that this device never signs two of one number, and a realm that is
 * behind (a first time, or after a restore) gets what is known here. Runs in the turn 'realm'.
 */
export async function settleManifest(deps: Deps): Promise<Manifest> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const account = await accountOf(deps)
    const { manifest: bytes } = await deps.relay.call('account.get', { account: account.account })
    const theirs = bytes === undefined ? 'behind' : await compare(bytes, account)
    if (bytes !== undefined && typeof theirs !== 'string') return adoptManifest(deps, account, bytes, theirs)
    const change = await deps.store.get('meta', 'manifestChange')
    if (change?.kind === 'manifestChange' && change.sequence > account.sequence) {
      if (await offerManifest(deps, change.manifest)) return adoptManifest(deps, account, change.manifest)
      continue
    }
    if (change !== undefined) await deps.store.write([{ delete: 'meta', key: 'manifestChange' }])
    if (theirs === 'behind' && !(await offerManifest(deps, account.manifest))) continue
    return checkManifest(account.manifest, account.account)
  }
  throw new StateError('manifest/unsettled')
}

/** A realm that shows what is no manifest of this account, or another one of the same number, is not believed. */
async function compare(bytes: Uint8Array, account: AccountRecord): Promise<Manifest | 'same' | 'behind' | 'false'> {
  if (equalBytes(bytes, account.manifest)) return 'same'
  try {
    return await checkManifest(bytes, account.account, account)
  } catch (error) {
    if (error instanceof StateError) return 'behind'
    if (error instanceof CryptoError || error instanceof WireError) return 'false'
    throw error
  }
}

/** @returns false when the realm has another one of this number, or a later one */
export async function offerManifest(deps: Pick<Deps, 'relay'>, manifest: Uint8Array): Promise<boolean> {
  try {
    await deps.relay.call('account.put', { manifest })
    return true
  } catch (error) {
    const isLost =
      error instanceof RelayError && (error.code === 'manifest/older' || error.code === 'manifest/equivocation')
    if (!isLost) throw error
    return false
  }
}

/** The realm has it: from here on it is what this device says of its account. What was signed besides is void. */
export async function adoptManifest(
  deps: Deps,
  account: AccountRecord,
  bytes: Uint8Array,
  checked?: Manifest,
): Promise<Manifest> {
  const manifest = checked ?? (await checkManifest(bytes, account.account, account))
  const { sequence } = manifest
  const changes: Change[] = [
    { put: 'meta', key: 'account', record: { ...account, manifest: bytes, sequence } },
    { delete: 'meta', key: 'manifestChange' },
  ]
  const device = await readDevice(deps.store)
  const listed = device && listedOf(manifest, device)
  if (device !== undefined && listed !== undefined) changes.push(...certified(device, listed))
  await deps.store.write(changes)
  deps.changes.announce({ what: 'devices' })
  return manifest
}

/** A restored device has its certificate from the manifest in which it came in (IDN3). */
function certified(device: DeviceRecord, { certificate }: ListedDevice): Change[] {
  const bytes = encodeCertificate(certificate)
  if (device.unlisted === undefined && equalBytes(bytes, device.certificate)) return []
  const { unlisted: _, ...record } = device
  return [{ put: 'meta', key: 'device', record: { ...record, certificate: bytes } }]
}

/** This device in the manifest: by its id and by the very key that it signs with. */
export function listedOf(manifest: Manifest, device: DeviceRecord): ListedDevice | undefined {
  return manifest.devices.find(
    ({ certificate }) =>
      equalBytes(certificate.deviceId, device.deviceId) && equalBytes(certificate.signatureKey, device.signatureKey),
  )
}

/** @throws InputError 'identity/none' */
export async function accountOf(deps: Pick<Deps, 'store'>): Promise<AccountRecord> {
  const account = await readAccount(deps.store)
  if (account === undefined || account.revoked) throw new InputError('identity/none')
  return account
}
