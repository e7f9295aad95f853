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

export const devicesHandlers = {} as unknown as HandlersOf<DeviceRequests>
