import { addPasskeyDoor, addPassphraseDoor, passkeyHandle, removeDoor } from '../device/doors.ts'
import { noteRevocation } from '../device/revoke-device.ts'
import type { Linking } from '../face.ts'
import type { HandlersOf } from './handlers.ts'

/** K-06 to K-09: linking, revoking, doors of the vault. */
export type DeviceRequests = {
  linking: { args: null; reply: Linking }
  showLink: { args: { deviceName: string; deviceKind: 'web' | 'extension'; realm?: string }; reply: null }
  joinLink: { args: { code: string }; reply: null }
  confirmLink: { args: null; reply: null }
  cancelLink: { args: null; reply: null }
  revokeDevice: { args: { deviceId: string }; reply: null }
  addPassphraseDoor: { args: { passphrase: string }; reply: { card: string } }
  /** What a passkey made on the face is to hold and what it gave. */
  passkeyHandle: { args: null; reply: { userHandle: Uint8Array; prfSalt: Uint8Array; name: string } }
  addPasskeyDoor: { args: { credentialId: Uint8Array; prfSalt: Uint8Array; prf: Uint8Array }; reply: null }
  removeDoor: { args: { doorId: string }; reply: null }
}

export const devicesHandlers: HandlersOf<DeviceRequests> = {
  linking: async (_deps, hands) => hands.linking.view,
  showLink: async (_deps, hands, input) => {
    await hands.linking.show(input)
    return null
  },
  joinLink: async (_deps, hands, { code }) => {
    await hands.linking.join(code)
    return null
  },
  confirmLink: async (_deps, hands) => {
    await hands.linking.confirm()
    return null
  },
  cancelLink: async (_deps, hands) => {
    await hands.linking.cancel()
    return null
  },
  revokeDevice: async (deps, hands, { deviceId }) => {
    await hands.turn('realm', () => noteRevocation(deps, deviceId))
    hands.revocationNoted()
    return null
  },
  addPassphraseDoor: async (deps, hands, { passphrase }) => ({
    card: await addPassphraseDoor(deps, hands, passphrase),
  }),
  passkeyHandle: (deps) => passkeyHandle(deps),
  addPasskeyDoor: async (deps, hands, input) => {
    await addPasskeyDoor(deps, hands, input)
    return null
  },
  removeDoor: async (deps, hands, { doorId }) => {
    await removeDoor(deps, hands, doorId)
    return null
  },
}
