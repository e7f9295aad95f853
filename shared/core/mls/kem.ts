import type { Dice } from '../crypto/random.ts'

/** A public key, and what was imported from it so far. */
export type KemPublicKey = { readonly bytes: Uint8Array }
/** `bytes` is all that is stored: a KEM imports from it what it needs. */
export type KemPrivateKey = { readonly bytes: Uint8Array }
export type KemKeyPair = { readonly privateKey: KemPrivateKey; readonly publicKey: KemPublicKey }

/** A key encapsulation mechanism as HPKE asks for it (RFC 9180 section 4). */
export interface Kem {
  readonly id: number
  generate(dice: Dice): Promise<KemKeyPair>
  derive(secret: Uint8Array): Promise<KemKeyPair>
  encap(publicKey: KemPublicKey, dice: Dice): Promise<{ enc: Uint8Array; shared: Uint8Array }>
  decap(privateKey: KemPrivateKey, enc: Uint8Array): Promise<Uint8Array>
}
