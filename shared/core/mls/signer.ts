import type { KeyRing } from '../crypto/key-handle.ts'

/** A device's keys as this folder knows them: their private halves stay where the caller keeps them (K-04). */
export interface Signer {
  readonly publicKey: Uint8Array
  sign(data: Uint8Array): Promise<Uint8Array>
  /** Where init keys and first leaf keys go, as handles. Without it they are bytes, sealed at rest with the rest. */
  readonly ring?: KeyRing
}
