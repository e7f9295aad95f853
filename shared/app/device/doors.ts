import { toBase64url } from '#core/bytes/base64url.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { ARGON2_SALT_BYTES, DEFAULT_COST } from '#core/crypto/argon2id.ts'
import { InputError } from '#core/errors.ts'
import { encodeCard } from '#core/identity/card.ts'
import { encodePasskeyHandle } from '#core/identity/passkey-handle.ts'
import { DOOR_ID_BYTES, type Door, passkeySeed, seedDoor } from '#core/keys/door.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { MAX_OTHER_DOORS } from '#core/keys/vault.ts'
import { readKeyRing } from '../account/key-ring.ts'
import { readRealm } from '../account/read-account.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { nameRing } from '../account/settle-vault.ts'
import { changeVault, logAddress } from '../account/vault.ts'
import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'
import { PASSKEY_SALT } from './passkey-salt.ts'

type Hands = Pick<EngineHands, 'online' | 'turn'>

/**
 * A passphrase becomes a way in (K-09). @returns the card by which its door is found again; it opens nothing by itself
 * @throws InputError 'devices/no-root', 'passphrase/…', 'doors/too-many'
 */
export async function addPassphraseDoor(deps: Deps, hands: Hands, passphrase: string): Promise<string> {
  await requireRoot(deps)
  const id = deps.dice(DOOR_ID_BYTES)
  const params = { salt: deps.dice(ARGON2_SALT_BYTES), ...DEFAULT_COST }
  const seed = await passphraseSeed(passphrase, params) // seconds of work, and so in no turn
  const door = await seedDoor({ kind: 'passphrase', id, params }, seed, '')
  wipe(seed)
  await addDoor(deps, hands, door)
  const [realm, { ring }] = await Promise.all([readRealm(deps.store), readKeyRing(deps.store)])
  if (realm === undefined) throw new InputError('realm/none')
  return encodeCard({
    origin: realm.origin,
    realmKey: realm.noiseKey,
    logAddress: await logAddress(deps, ring),
    ownerKey: ring.ownerKey,
    doorId: id,
  })
}

/** What a passkey that is to open the vault is made with: it finds its door by its user handle. */
export async function passkeyHandle(deps: Deps) {
  const account = await requireRoot(deps)
  const { ring } = await readKeyRing(deps.store)
  const userHandle = encodePasskeyHandle(await logAddress(deps, ring), ring.ownerKey)
  return { userHandle, prfSalt: PASSKEY_SALT, name: account.name }
}

export type PasskeyInput = {
  readonly credentialId: Uint8Array
  readonly prfSalt: Uint8Array
  readonly prf: Uint8Array
}

export async function addPasskeyDoor(deps: Deps, hands: Hands, input: PasskeyInput): Promise<void> {
  await requireRoot(deps)
  const { credentialId, prfSalt, prf } = input
  const seed = passkeySeed(prf)
  const params = { credentialId, prfSalt }
  const door = await seedDoor({ kind: 'passkey', id: deps.dice(DOOR_ID_BYTES), params }, seed, '')
  wipe(seed, prf)
  await addDoor(deps, hands, door)
}

/**
 * A door goes, and the key ring gets a new generation with it: whoever could open it has what was there, and gets nothing of
 * what comes (K-08). @throws InputError 'doors/unknown' also for the phrase and devices, whose doors go in other ways
 */
export async function removeDoor(deps: Deps, hands: Hands, doorId: string): Promise<void> {
  await requireRoot(deps)
  await hands.online()
  await hands.turn('realm', async () => {
    let found = false
    const ring = await changeVault(deps, ({ doors }) => {
      const kept = doors.filter((door) => !('id' in door) || toBase64url(door.id) !== doorId)
      found ||= kept.length < doors.length
      return kept.length < doors.length ? { doors: kept, rotate: true } : undefined
    })
    await nameRing(deps, ring)
    if (!found) throw new InputError('doors/unknown')
  })
}

async function addDoor(deps: Deps, hands: Hands, door: Door & { readonly id: Uint8Array }): Promise<void> {
  await hands.online()
  await hands.turn('realm', async () => {
    await changeVault(deps, ({ doors }) => {
      const others = doors.filter((one) => one.kind !== 'device')
      if (others.some((one) => 'id' in one && toBase64url(one.id) === toBase64url(door.id))) return undefined
      if (others.length >= MAX_OTHER_DOORS) throw new InputError('doors/too-many', { max: MAX_OTHER_DOORS })
      return { doors: [...doors, door], rotate: false }
    })
  })
}

async function requireRoot(deps: Deps) {
  const account = await accountOf(deps)
  if (account.rootSeed === undefined) throw new InputError('devices/no-root')
  return account
}
