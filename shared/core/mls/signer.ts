/** A device's signing key as this folder knows it: its private half stays where the caller keeps it (K-04). */
export interface Signer {
  readonly publicKey: Uint8Array
  sign(data: Uint8Array): Promise<Uint8Array>
}
