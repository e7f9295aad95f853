import { StoreError } from '#core/errors.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import type { Manifest } from '#core/identity/manifest.ts'
import type { Deps } from '../deps.ts'
import { changeManifest } from './change-manifest.ts'
import { readDevice } from './read-account.ts'
import { listedOf } from './settle-manifest.ts'

/** A device that was set up from the words puts itself into the manifest (K-03, K-05); repeated until it is there. */
export async function listThisDevice(deps: Deps): Promise<Manifest> {
  const device = await readDevice(deps.store)
  if (device === undefined) throw new StoreError('store/keys-missing')
  return changeManifest(deps, async (now, sequence, root) => {
    if (listedOf(now, device) !== undefined) return undefined
    const { deviceId, signatureKey, hpkeKey } = device
    const certificate = await signCertificate({ account: now.account, deviceId, signatureKey, sequence }, root)
    return { ...now, devices: [...now.devices, { certificate, hpkeKey }] }
  })
}
