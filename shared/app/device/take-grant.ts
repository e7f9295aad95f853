import { equalBytes } from '#core/bytes/equal.ts'
import { generateSigningKey, type SigningKeyPair, sign } from '#core/crypto/sign.ts'
import { type DhKeyPair, generateDhKeyPair } from '#core/crypto/x25519.ts'
import { CryptoError, InputError } from '#core/errors.ts'
import { encodeKeyRing } from '#core/keys/key-ring.ts'
import type { NewDevice } from '#core/link/ask.ts'
import type { CheckedGrant } from '#core/link/grant.ts'
import { DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import { HPKE_HANDLE, SIGNING_HANDLE } from '../account/device-signer.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord } from '../ports/records.ts'
import { newRealmRecord } from '../realm/join-realm.ts'

/** The keys of a device that is being linked: WebCrypto has them, and nothing of them is stored before the grant. */
export type NewKeys = {
  readonly device: NewDevice
  readonly signing: SigningKeyPair
  readonly hpke: DhKeyPair
}

export async function makeNewKeys(
  deps: Pick<Deps, 'dice'>,
  { name, kind }: Pick<NewDevice, 'name' | 'kind'>,
): Promise<NewKeys> {
  const [signing, hpke] = await Promise.all([generateSigningKey(), generateDhKeyPair()])
  const deviceId = deps.dice(DEVICE_BYTES) as DeviceId
  return { device: { deviceId, signatureKey: signing.publicKey, hpkeKey: hpke.publicKey, name, kind }, signing, hpke }
}

export function signWith({ signing }: NewKeys): (data: Uint8Array) => Promise<Uint8Array> {
  return (data) => sign(signing.privateKey, data)
}

/**
 * The account that this device has already and takes no part in, because it came by a passphrase or a passkey (K-09); or none.
 * @throws InputError 'link/exists' where there is another one, 'link/blocked' where the store can't be used (U-07)
 */
export async function requireLinkable({ store }: Pick<Deps, 'store'>): Promise<AccountRecord | undefined> {
  const condition = await store.condition()
  if (condition !== 'empty' && condition !== 'usable') throw new InputError('link/blocked')
  if (condition === 'empty') return undefined
  const [account, device] = await Promise.all([readAccount(store), readDevice(store)])
  if (account === undefined || account.revoked) return undefined
  if (account.rootSeed !== undefined || !device?.unlisted) throw new InputError('link/exists')
  return account
}

/**
 * The grant becomes this device's account (LNK7), in one transaction: certificate, manifest, key ring and realm. Not the root,
 * and not the words, so there is nothing to back up here (K-06).
 */
export async function takeGrant(deps: Deps, keys: NewKeys, { grant, manifest, ring }: CheckedGrant): Promise<void> {
  const known = await requireLinkable(deps)
  if (known !== undefined && !equalBytes(known.account, manifest.account)) throw new CryptoError('link/other-account')
  const realm = known && (await readRealm(deps.store))
  if ((await deps.store.condition()) === 'empty') await deps.store.create()
  await deps.store.takeOver()
  await deps.handles.save(HPKE_HANDLE, keys.hpke.privateKey)
  await deps.handles.save(SIGNING_HANDLE, keys.signing.privateKey)
  const { name, by, certificate, vaultNumber, origin, realmKey } = grant
  const { deviceId, signatureKey, hpkeKey, name: deviceName, kind: deviceKind } = keys.device
  await deps.store.write([
    {
      put: 'meta',
      key: 'account',
      record: {
        kind: 'account',
        account: manifest.account,
        name,
        manifest: grant.manifest,
        sequence: manifest.sequence,
        backedUp: true,
      },
    },
    {
      put: 'meta',
      key: 'device',
      record: { kind: 'device', deviceId, deviceName, deviceKind, linkedBy: by, certificate, signatureKey, hpkeKey },
    },
    { put: 'meta', key: 'keyRing', record: { kind: 'keyRing', bytes: encodeKeyRing(ring), vaultNumber } },
    {
      put: 'meta',
      key: 'realm',
      record: {
        ...(realm ?? newRealmRecord(deps, { origin, noiseKey: realmKey, keyFrom: 'invitation' })),
        ...{ origin, noiseKey: realmKey, keyFrom: 'invitation' },
      },
    },
  ])
}
