import { equalBytes } from '#core/bytes/equal.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { CryptoError, InputError, WireError } from '#core/errors.ts'
import { readCard } from '#core/identity/card.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import { decodePasskeyHandle, isOwnerOf } from '#core/identity/passkey-handle.ts'
import { type CheckedVault, checkVaultRecord } from '#core/identity/vault-record.ts'
import { type ClosedDoor, type Door, type DoorKey, passkeySeed } from '#core/keys/door.ts'
import { hashKeyRing, type KeyRing, logAddressOf } from '#core/keys/key-ring.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { phraseToSeed } from '#core/keys/phrase.ts'
import { type AccountKeys, accountKeys, logOwner } from '#core/keys/tree.ts'
import { closedDoorsOf, openVault } from '#core/keys/vault.ts'
import type { AccountId, Address } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { RelayTarget } from '../ports/relay.ts'
import type { OpenKey } from '../requests/restore.ts'
import type { EngineHands } from '../requests.ts'
import { typedWords } from './typed-words.ts'

/** An account as its words or one of its other doors give it, and the realm it was found at. */
export type OpenedAccount = {
  readonly account: AccountId
  readonly manifest: Manifest
  readonly manifestBytes: Uint8Array
  readonly ring: KeyRing
  readonly vaultNumber: number
  readonly doors: readonly Door[]
  readonly target: RelayTarget
  readonly isKeyKnown: boolean // the realm's key came with the card, and not from the realm
  readonly rootSeed?: Uint8Array // of the words alone
  readonly phraseDoorSeed?: Uint8Array // the same
}

type Hands = Pick<EngineHands, 'onlineAsGuest'>

/**
 * Looks up whose these words are, or whose vault this door opens, before anything is made here (K-03): the words of nobody never
 * become a new account.
 * @throws InputError 'phrase/…', 'restore/unknown', 'card/…', 'passphrase/…', 'passkey/…'; RelayError; CryptoError from a realm
 *   that shows what the account did not make
 */
export function openAccount(deps: Deps, hands: Hands, key: OpenKey): Promise<OpenedAccount> {
  if (key.by === 'phrase') return openByPhrase(deps, hands, key)
  return key.by === 'passphrase' ? openByPassphrase(deps, hands, key) : openByPasskey(deps, hands, key)
}

async function openByPhrase(
  deps: Deps,
  hands: Hands,
  { words, realm }: Extract<OpenKey, { by: 'phrase' }>,
): Promise<OpenedAccount> {
  const seed = await phraseToSeed(typedWords(words))
  const keys: AccountKeys = await accountKeys(seed)
  wipe(seed)
  const target = await hands.onlineAsGuest(realm)
  const found = await lookUpManifest(deps, keys.account)
  const owner = await logOwner(keys.rootSeed)
  const address = logAddressOf(keys.logAddressSecret, target.noiseKey)
  const vault = await fetchVault(deps, address, (shown) => equalBytes(shown, owner.publicKey))
  const opened = await open(vault, { kind: 'phrase', seed: keys.phraseDoorSeed }, found.manifest)
  return { ...found, ...opened, account: keys.account, target, isKeyKnown: false, ...seedsOf(keys) }
}

function seedsOf({ rootSeed, phraseDoorSeed }: AccountKeys): Pick<OpenedAccount, 'rootSeed' | 'phraseDoorSeed'> {
  return { rootSeed, phraseDoorSeed }
}

async function openByPassphrase(
  deps: Deps,
  hands: Hands,
  { card, passphrase }: Extract<OpenKey, { by: 'passphrase' }>,
): Promise<OpenedAccount> {
  const { origin, realmKey, logAddress, ownerKey, doorId } = readCard(card)
  const target = await hands.onlineAsGuest(origin, realmKey)
  const vault = await fetchVault(deps, logAddress, (shown) => equalBytes(shown, ownerKey))
  const door = closedDoorsOf(vault.record).find(({ id }) => equalBytes(id, doorId))
  if (door?.kind !== 'passphrase') throw new InputError('restore/unknown') // it was removed
  const seed = await passphraseSeed(passphrase, door.params)
  return { ...(await openByDoor(deps, vault, [door], seed, 'passphrase/wrong')), target, isKeyKnown: true }
}

async function openByPasskey(
  deps: Deps,
  hands: Hands,
  { userHandle, prf, realm }: Extract<OpenKey, { by: 'passkey' }>,
): Promise<OpenedAccount> {
  const handle = readHandle(userHandle)
  const target = await hands.onlineAsGuest(realm)
  const vault = await fetchVault(deps, handle.logAddress, (shown) => isOwnerOf(handle, shown))
  const doors = closedDoorsOf(vault.record).filter((door) => door.kind === 'passkey')
  return { ...(await openByDoor(deps, vault, doors, passkeySeed(prf), 'restore/unknown')), target, isKeyKnown: false }
}

/** Who comes by such a door learns from the ring whose account it is, and from the root whether that ring is the account's. */
async function openByDoor(
  deps: Deps,
  vault: CheckedVault,
  doors: readonly ClosedDoor[],
  seed: Uint8Array,
  wrong: string,
): Promise<Omit<OpenedAccount, 'target' | 'isKeyKnown'>> {
  for (const { kind, id } of doors) {
    try {
      const opened = await open(vault, { kind, id, seed })
      const { account } = opened.ring
      const found = await lookUpManifest(deps, account)
      requireNamed(opened.ring, found.manifest)
      return { ...found, ...opened, account }
    } catch (error) {
      if (!(error instanceof CryptoError && error.code === 'vault/door')) throw error
    }
  }
  throw new InputError(wrong)
}

async function open(
  vault: CheckedVault,
  key: DoorKey,
  manifest?: Manifest,
): Promise<Pick<OpenedAccount, 'ring' | 'vaultNumber' | 'doors'>> {
  const { ring, doors } = await openVault(vault, key)
  if (manifest !== undefined) requireNamed(ring, manifest)
  return { ring, vaultNumber: vault.record.number, doors }
}

/** VLT4: the root's word for the ring. A rotation puts the vault first, so the ring may be a generation ahead of it. */
function requireNamed(ring: KeyRing, { vault }: Manifest): void {
  const named = { ...ring, generations: ring.generations.slice(0, vault?.generation ?? 0) }
  if (vault === undefined || !equalBytes(hashKeyRing(named), vault.keyRingHash)) throw new CryptoError('vault/key-ring')
}

async function lookUpManifest(
  deps: Deps,
  account: AccountId,
): Promise<Pick<OpenedAccount, 'manifest' | 'manifestBytes'>> {
  const { manifest } = await deps.relay.call('account.get', { account })
  if (manifest === undefined) throw new InputError('restore/unknown')
  return { manifest: await checkManifest(manifest, account), manifestBytes: manifest }
}

async function fetchVault(
  deps: Deps,
  address: Address,
  isOwner: (shown: Uint8Array) => boolean,
): Promise<CheckedVault> {
  const { owner, vault, signature } = await deps.relay.call('vault.get', { address })
  if (owner === undefined || vault === undefined || signature === undefined) throw new InputError('restore/unknown')
  if (!isOwner(owner)) throw new CryptoError('vault/owner')
  return checkVaultRecord(vault, signature, owner)
}

function readHandle(userHandle: Uint8Array) {
  try {
    return decodePasskeyHandle(userHandle)
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    throw new InputError('passkey/foreign', {}, { cause }) // a passkey, and not one of Stave's vault
  }
}
