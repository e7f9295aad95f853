import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { openRandomNonce, sealRandomNonce } from '#core/crypto/aead.ts'
import { type Argon2Params, argon2id } from '#core/crypto/argon2id.ts'
import { hkdf } from '#core/crypto/hkdf.ts'
import { labels } from '#core/crypto/labels.ts'
import type { Dice } from '#core/crypto/random.ts'
import { CryptoError, InputError } from '#core/errors.ts'
import { passphraseBytes } from '#core/keys/passphrase.ts'
import type { LockDoor, LockRecord } from '../ports/lock.ts'

/** What a person has for a lock: words, or what a passkey answered. */
export type LockKey = { readonly passphrase: string } | { readonly prf: Uint8Array }

const KEY_BYTES = 32
const NO_SALT = new Uint8Array()

/** LCK2: the bytes of the storage key, sealed under the door's key and bound to this lock. */
export async function sealSecret(
  { id, door }: Pick<LockRecord, 'id' | 'door'>,
  key: LockKey,
  secret: Uint8Array,
  dice: Dice,
): Promise<Uint8Array> {
  const doorKey = await keyOf(door, key)
  const sealed = await sealRandomNonce(doorKey, secret, concatBytes(labels.lockSecret, id), dice)
  wipe(doorKey)
  return sealed
}

/** @throws InputError 'lock/wrong'. LCK4: attempts are not counted: that would lock the owner out, and stops nobody who has a copy. */
export async function openSecret({ id, door, sealed }: LockRecord, key: LockKey): Promise<Uint8Array> {
  let doorKey: Uint8Array | undefined
  try {
    doorKey = await keyOf(door, key)
    return await openRandomNonce(doorKey, sealed, concatBytes(labels.lockSecret, id))
  } catch (cause) {
    // Words that no lock can have, such as too few, are as wrong as others.
    if (cause instanceof CryptoError || cause instanceof InputError) throw new InputError('lock/wrong', {}, { cause })
    throw cause
  } finally {
    wipe(doorKey)
  }
}

/** LCK1: Argon2id of the words, or the passkey's secret; then HKDF, so that neither is ever a key by itself. */
async function keyOf(door: LockDoor, key: LockKey): Promise<Uint8Array> {
  const stretched =
    door.by === 'passphrase' && 'passphrase' in key
      ? await stretch(key.passphrase, door)
      : door.by === 'passkey' && 'prf' in key
        ? key.prf.slice()
        : undefined
  if (stretched === undefined) throw new InputError('lock/wrong')
  const doorKey = hkdf('sha256', stretched, NO_SALT, concatBytes(labels.lockSecret, toUtf8(door.by)), KEY_BYTES)
  wipe(stretched)
  return doorKey
}

async function stretch(passphrase: string, params: Argon2Params): Promise<Uint8Array> {
  const password = passphraseBytes(passphrase)
  const stretched = await argon2id(password, params)
  wipe(password)
  return stretched
}
