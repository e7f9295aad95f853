import { sign } from '#core/crypto/sign.ts'
import { StoreError } from '#core/errors.ts'
import type { Signer } from '#core/mls/index.ts'
import type { KeyHandles } from '../ports/keys.ts'
import type { DeviceRecord } from '../ports/records.ts'

export const SIGNING_HANDLE = 'device-signing'
export const HPKE_HANDLE = 'device-hpke'

/** Signs with the device's key by its handle, and keeps MLS's first keys as handles too: none leaves WebCrypto (K-04). */
export async function deviceSigner(handles: KeyHandles, device: DeviceRecord | undefined): Promise<Signer> {
  const key = await handles.load(SIGNING_HANDLE)
  if (key === undefined || device === undefined) throw new StoreError('store/keys-missing')
  return { publicKey: device.signatureKey, sign: (data) => sign(key, data), ring: handles }
}
