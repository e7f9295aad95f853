import { sha256 } from '#core/crypto/hash.ts'
import { labels } from '#core/crypto/labels.ts'

/**
 * What every passkey door of a vault is asked with (WebAuthn PRF). One value for all, because a new device asks the passkey before
 * it can know anything else; the authenticator's own secret makes the answer.
 */
export const PASSKEY_SALT = sha256(labels.passkeyDoor)
