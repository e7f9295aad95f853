import { wipe } from '#core/bytes/wipe.ts'
import { ARGON2_SALT_BYTES, DEFAULT_COST } from '#core/crypto/argon2id.ts'
import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { LockDoor } from '../ports/lock.ts'
import { type LockKey, sealSecret } from './lock-door.ts'

/** K-10: what a person can choose from. */
export const LOCK_AFTER_MINUTES: readonly number[] = [1, 5, 15, 60]
const ID_BYTES = 16
const SECRET_BYTES = 32

export type LockInput = { readonly afterMinutes: number } & (
  | { readonly by: 'passphrase'; readonly passphrase: string }
  | {
      readonly by: 'passkey'
      readonly credentialId: Uint8Array
      readonly prfSalt: Uint8Array
      readonly prf: Uint8Array
    }
)

/**
 * Turns the lock on, or replaces it: a new storage key of random bytes that are kept sealed alone. Whoever asks twice has
 * another lock with the same words. @throws InputError 'lock/minutes', 'passphrase/…'
 */
export async function setLock(deps: Pick<Deps, 'store' | 'dice'>, input: LockInput): Promise<void> {
  if (!LOCK_AFTER_MINUTES.includes(input.afterMinutes)) throw new InputError('lock/minutes')
  const id = deps.dice(ID_BYTES)
  const secret = deps.dice(SECRET_BYTES)
  const [door, key] = doorOf(deps, input)
  const sealed = await sealSecret({ id, door }, key, secret, deps.dice)
  await deps.store.setLock({ id, door, sealed, afterMinutes: input.afterMinutes }, secret)
  wipe(secret)
}

function doorOf({ dice }: Pick<Deps, 'dice'>, input: LockInput): [LockDoor, LockKey] {
  if (input.by === 'passkey') {
    const { credentialId, prfSalt, prf } = input
    return [{ by: 'passkey', credentialId, prfSalt }, { prf }]
  }
  const { passphrase } = input
  return [{ by: 'passphrase', salt: dice(ARGON2_SALT_BYTES), ...DEFAULT_COST }, { passphrase }]
}
