/** What a passkey gave: which one it was, the handle it was made with, and 32 secret bytes that depend on the salt (WebAuthn PRF). */
export type PasskeyAnswer = {
  readonly credentialId: Uint8Array
  readonly userHandle: Uint8Array
  readonly prf: Uint8Array
}

/**
 * Passkeys, which only a page may ask for, and only while somebody is at it.
 * @throws InputError 'passkey/unsupported' (no passkeys here, or this one gives no secret), 'passkey/none' (nobody answered), 'passkey/failed'
 */
export interface Passkeys {
  /** Makes one; where its maker gives no secret at once, it is asked for right after. */
  create(input: {
    readonly userHandle: Uint8Array
    readonly name: string
    readonly prfSalt: Uint8Array
  }): Promise<PasskeyAnswer>
  /** @param input.credentialId absent: the person picks one of this place */
  get(input: { readonly credentialId?: Uint8Array; readonly prfSalt: Uint8Array }): Promise<PasskeyAnswer>
}
