import { HPKE_HANDLE, SIGNING_HANDLE } from '#app/account/device-signer.ts'
import { readAccount } from '#app/account/read-account.ts'
import type { Change } from '#app/ports/store.ts'
import { generateSigningKey } from '#core/crypto/sign.ts'
import { generateDhKeyPair } from '#core/crypto/x25519.ts'
import { DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

/** A second device with the account's words, as restoring leaves it before its first connection, and then connected. */
export async function twin(
  world: World,
  first: SimDevice,
  name: string,
  beforeItRuns: (device: SimDevice) => void = () => {},
): Promise<SimDevice> {
  const account = await readAccount(first.store())
  const keyRing = await first.store().get('meta', 'keyRing')
  if (account === undefined || keyRing === undefined) throw new Error('no account to be a twin of')
  const device = await world.device(name)
  device.kill()
  const store = device.store()
  await store.create()
  await store.takeOver()
  const [signing, hpke] = await Promise.all([generateSigningKey(), generateDhKeyPair()])
  await device.handles.save(HPKE_HANDLE, hpke.privateKey)
  await device.handles.save(SIGNING_HANDLE, signing.privateKey)
  const changes: Change[] = [
    { put: 'meta', key: 'account', record: account },
    { put: 'meta', key: 'keyRing', record: keyRing },
    {
      put: 'meta',
      key: 'device',
      record: {
        kind: 'device',
        deviceId: world.random.dice(DEVICE_BYTES) as DeviceId,
        deviceName: name,
        deviceKind: 'web',
        unlisted: true,
        certificate: new Uint8Array(),
        signatureKey: signing.publicKey,
        hpkeKey: hpke.publicKey,
      },
    },
  ]
  await store.write(changes)
  beforeItRuns(device)
  await world.run(5_000)
  return device
}
