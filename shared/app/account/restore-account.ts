import { generateSigningKey } from '#core/crypto/sign.ts'
import { generateDhKeyPair } from '#core/crypto/x25519.ts'
import { InputError } from '#core/errors.ts'
import { encodeKeyRing } from '#core/keys/key-ring.ts'
import { DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { newRealmRecord } from '../realm/join-realm.ts'
import { HPKE_HANDLE, SIGNING_HANDLE } from './device-signer.ts'
import { knownDoor } from './known-doors.ts'
import type { OpenedAccount } from './open-account.ts'
import { readAccount } from './read-account.ts'

export type RestoreInput = {
  readonly name: string
  readonly deviceName: string
  readonly deviceKind: 'web' | 'extension'
}

/** @throws InputError 'restore/exists' where there is an account already, 'identity/blocked' where the store can't be used (U-07) */
export async function requireEmptyDevice({ store }: Pick<Deps, 'store'>): Promise<void> {
  const condition = await store.condition()
  if (condition !== 'empty' && condition !== 'usable') throw new InputError('identity/blocked')
  const account = condition === 'usable' ? await readAccount(store) : undefined
  if (account !== undefined && !account.revoked) throw new InputError('restore/exists')
}

/**
 * Makes this device one of the account's (K-03), in one transaction: new keys, and nothing of any other device. It lists itself
 * in the manifest with the first connection, where it has the root; its history follows (app/log).
 */
export async function restoreAccount(deps: Deps, opened: OpenedAccount, input: RestoreInput): Promise<void> {
  await requireEmptyDevice(deps)
  if ((await deps.store.condition()) === 'empty') await deps.store.create()
  await deps.store.takeOver()
  const [signing, hpke] = await Promise.all([generateSigningKey(), generateDhKeyPair()])
  await deps.handles.save(HPKE_HANDLE, hpke.privateKey)
  await deps.handles.save(SIGNING_HANDLE, signing.privateKey)
  const { account, manifest, manifestBytes, ring, vaultNumber, doors } = opened
  const { target, isKeyKnown, rootSeed, phraseDoorSeed } = opened
  const keyFrom = isKeyKnown ? 'invitation' : 'first-use'
  await deps.store.write([
    {
      put: 'meta',
      key: 'account',
      record: {
        kind: 'account',
        account,
        name: input.name,
        manifest: manifestBytes,
        sequence: manifest.sequence,
        backedUp: true, // they were just typed, or there is another way in
        ...(rootSeed === undefined ? {} : { rootSeed }),
      },
    },
    {
      put: 'meta',
      key: 'device',
      record: {
        kind: 'device',
        deviceId: deps.dice(DEVICE_BYTES) as DeviceId,
        deviceName: input.deviceName.trim(),
        deviceKind: input.deviceKind,
        unlisted: true,
        certificate: new Uint8Array(),
        signatureKey: signing.publicKey,
        hpkeKey: hpke.publicKey,
      },
    },
    {
      put: 'meta',
      key: 'keyRing',
      record: {
        kind: 'keyRing',
        bytes: encodeKeyRing(ring),
        vaultNumber,
        doors: doors.map(knownDoor),
        ...(phraseDoorSeed === undefined ? {} : { phraseDoorSeed }), // this device has no door of its own yet
      },
    },
    { put: 'meta', key: 'realm', record: newRealmRecord(deps, { ...target, keyFrom }) },
  ])
}
