import type { FoundAccount, RestoreKey, Work } from '../face.ts'
import type { HandlersOf } from './handlers.ts'

/** K-03: an account comes back on this device. A passkey's answer comes from the face, which alone can ask for it. */
export type OpenKey =
  | Exclude<RestoreKey, { by: 'passkey' }>
  | { readonly by: 'passkey'; readonly userHandle: Uint8Array; readonly prf: Uint8Array; readonly realm?: string }
export type RestoreRequests = {
  lookUp: { args: OpenKey; reply: FoundAccount }
  restore: { args: { key: OpenKey; deviceName: string; deviceKind: 'web' | 'extension' }; reply: null }
  work: { args: null; reply: readonly Work[] }
  cancelWork: { args: { kind: Work['kind'] }; reply: null }
}

export const restoreHandlers = {} as unknown as HandlersOf<RestoreRequests>
