import type { KeyRing } from './key-handle.ts'
import type { Dice } from './random.ts'

export type KemPublicKey = { readonly bytes: Uint8Array }
/** The private key itself, or a reference to it in a key ring (key-handle.ts). */
export type KemPrivateKey = { readonly bytes: Uint8Array }
export type KemKeyPair = { readonly privateKey: KemPrivateKey; readonly publicKey: KemPublicKey }

/** A key encapsulation mechanism as HPKE asks for it (RFC 9180 section 4). */
export interface Kem {
  readonly id: number
  /** Whether anything can be sealed to it, by its bytes alone: so that all who see a key judge it alike. */
  isPublicKey(bytes: Uint8Array): boolean
  /** With a ring, the private half goes there. */
  generate(dice: Dice, ring?: KeyRing): Promise<KemKeyPair>
  derive(secret: Uint8Array): Promise<KemKeyPair>
  encap(publicKey: KemPublicKey, dice: Dice): Promise<{ enc: Uint8Array; shared: Uint8Array }>
  decap(privateKey: KemPrivateKey, enc: Uint8Array, ring?: KeyRing): Promise<Uint8Array>
}
