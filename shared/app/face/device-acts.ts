import type { Face } from '../face.ts'
import { deviceViews, doorViews } from './device-views.ts'
import { askOf, type FaceDeps } from './face-deps.ts'

type DeviceActs = Pick<
  Face,
  | 'linking'
  | 'showLink'
  | 'joinLink'
  | 'confirmLink'
  | 'cancelLink'
  | 'devices'
  | 'revokeDevice'
  | 'doors'
  | 'addPassphraseDoor'
  | 'addPasskeyDoor'
  | 'removeDoor'
  | 'suggestPassphrase'
>

export function deviceActs(deps: FaceDeps): DeviceActs {
  const { store, bridge, kind, passkeys, dice } = deps
  const ask = askOf(deps)
  return {
    linking: () => bridge.request('linking', null),
    showLink: async (input) => {
      await ask('showLink', { ...input, deviceKind: kind })
      void deps.askPersistence() // U-07
    },
    joinLink: (code) => ask('joinLink', { code }),
    confirmLink: () => ask('confirmLink', null),
    cancelLink: () => ask('cancelLink', null),
    devices: () => deviceViews(store),
    revokeDevice: (deviceId) => ask('revokeDevice', { deviceId }),
    doors: () => doorViews(store),
    addPassphraseDoor: (passphrase) => bridge.request('addPassphraseDoor', { passphrase }),
    addPasskeyDoor: async () => {
      const { prfSalt, ...user } = await bridge.request('passkeyHandle', null)
      const { credentialId, prf } = await passkeys.create({ ...user, prfSalt })
      await ask('addPasskeyDoor', { credentialId, prfSalt, prf })
    },
    removeDoor: (doorId) => ask('removeDoor', { doorId }),
    suggestPassphrase: async () => {
      const { makePassphrase } = await import('#core/keys/passphrase.ts') // with its list of words
      return makePassphrase(dice)
    },
  }
}
