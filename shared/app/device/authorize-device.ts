import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, StoreError } from '#core/errors.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import type { ListedDevice, Manifest } from '#core/identity/manifest.ts'
import { encodeKeyRing } from '#core/keys/key-ring.ts'
import type { NewDevice } from '#core/link/ask.ts'
import type { Grant } from '#core/link/grant.ts'
import { changeManifest } from '../account/change-manifest.ts'
import { readKeyRing } from '../account/key-ring.ts'
import { readDevice, readRealm } from '../account/read-account.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { settleVault } from '../account/settle-vault.ts'
import type { Deps } from '../deps.ts'
import { listLoggedDevices } from '../log/devices.ts'

/**
 * What the person confirmed on both screens is done (LNK6): the new device is certified and listed, the vault gets a door for
 * it, and it is granted everything of the account but the root. Repeating it grants the same. Runs in the turn 'realm'.
 * @throws CryptoError 'link/known-device' for the id of a device that was revoked, or of another one (K-07)
 */
export async function authorizeDevice(deps: Deps, asking: NewDevice): Promise<Grant> {
  await refuseKnown(deps, asking)
  await changeManifest(deps, async (now, sequence, root) => {
    if (listingOf(now, asking) !== undefined) return undefined
    const { deviceId, signatureKey, hpkeKey } = asking
    const certificate = await signCertificate({ account: now.account, deviceId, signatureKey, sequence }, root)
    return { ...now, devices: [...now.devices, { certificate, hpkeKey }] }
  })
  const manifest = await settleVault(deps)
  const listing = listingOf(manifest, asking)
  if (listing === undefined) throw new CryptoError('link/known-device') // revoked in this very moment
  const [account, device, realm, { ring, vaultNumber }] = await Promise.all([
    accountOf(deps),
    readDevice(deps.store),
    readRealm(deps.store),
    readKeyRing(deps.store),
  ])
  if (device === undefined || realm === undefined) throw new StoreError('store/keys-missing')
  return {
    name: account.name,
    by: device.deviceId,
    certificate: encodeCertificate(listing.certificate),
    manifest: account.manifest,
    keyRing: encodeKeyRing(ring),
    vaultNumber,
    origin: realm.origin,
    realmKey: realm.noiseKey,
  }
}

/** The account's log names every device that ever told it of itself: an id of one that is not listed was revoked. */
async function refuseKnown(deps: Deps, { deviceId }: NewDevice): Promise<void> {
  const isRevoking = (await deps.store.get('tasks', toBase64url(deviceId))) !== undefined
  const logged = await listLoggedDevices(deps.store)
  const isLogged = logged.some((device) => equalBytes(device.deviceId, deviceId))
  if (isRevoking || isLogged) throw new CryptoError('link/known-device')
}

function listingOf({ devices }: Manifest, { deviceId, signatureKey, hpkeKey }: NewDevice): ListedDevice | undefined {
  const known = devices.find(({ certificate }) => equalBytes(certificate.deviceId, deviceId))
  if (known === undefined) return undefined
  if (!equalBytes(known.certificate.signatureKey, signatureKey) || !equalBytes(known.hpkeKey, hpkeKey)) {
    throw new CryptoError('link/known-device')
  }
  return known
}
