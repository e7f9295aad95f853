import type { Passkeys } from '#app/ports/passkey.ts'
import { InputError } from '#core/errors.ts'

/** A place without passkeys. */
export const noPasskeys: Passkeys = {
  create: async () => {
    throw new InputError('passkey/unsupported')
  },
  get: async () => {
    throw new InputError('passkey/unsupported')
  },
}
