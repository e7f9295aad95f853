import { InputError } from '#core/errors.ts'
import type { FaceDeps } from '../face/face-deps.ts'
import type { LockChoice } from '../face.ts'

const PRF_SALT_BYTES = 32
const USER_HANDLE_BYTES = 32

type AskDeps = Pick<FaceDeps, 'store' | 'bridge' | 'passkeys' | 'dice'>

/** The face's part of turning a lock on: only a page may ask for a passkey. The passkey knows nothing of the account. */
export async function askForLock({ bridge, passkeys, dice }: AskDeps, choice: LockChoice): Promise<void> {
  if (choice.by === 'passphrase') {
    await bridge.request('setLock', choice)
    return
  }
  const prfSalt = dice(PRF_SALT_BYTES)
  const { credentialId, prf } = await passkeys.create({
    userHandle: dice(USER_HANDLE_BYTES),
    name: 'Stave (lock)',
    prfSalt,
  })
  await bridge.request('setLock', { by: 'passkey', afterMinutes: choice.afterMinutes, credentialId, prfSalt, prf })
}

/** @throws InputError 'lock/wrong', 'passkey/…' */
export async function askToUnlock(
  { store, bridge, passkeys }: AskDeps,
  key: { readonly passphrase: string } | 'passkey',
): Promise<void> {
  if (key !== 'passkey') {
    await bridge.request('unlock', key)
    return
  }
  const door = (await store.lock())?.door
  if (door?.by !== 'passkey') throw new InputError('lock/wrong')
  const { prf } = await passkeys.get(door)
  await bridge.request('unlock', { prf })
}
