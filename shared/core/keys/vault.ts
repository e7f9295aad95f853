import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { wipe } from '../bytes/wipe.ts'
import { Writer } from '../bytes/writer.ts'
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, AEAD_TAG_BYTES, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { sha256 } from '../crypto/hash.ts'
import { openHpke, sealHpke } from '../crypto/hpke.ts'
import { openXWing, sealXWing, X_WING_OVERHEAD_BYTES } from '../crypto/hpke-xwing.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, UsageError, WireError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { MAX_VAULT_BYTES } from '../wire/limits.ts'
import type { VaultRecord } from '../wire/operations.ts'
import {
  type ClosedDoor,
  type Door,
  type DoorKey,
  type ReadClosed,
  readClosed,
  readDoor,
  writeClosed,
  writeDoor,
} from './door.ts'
import {
  decodeKeyRing,
  encodeKeyRing,
  hashKeyRing,
  type KeyRing,
  logTokenHash,
  MAX_KEY_RING_BYTES,
  newest,
} from './key-ring.ts'

/**
 * Vault: the key ring, sealed under a key that every door opens (docs/spec/keys.md, K-09). Its body:
 *
 *    1B  version (0x01)
 *    1B  number of doors; of each:
 *          1B kind  16B id (zeros for phrase and device)  parameters of a passphrase or passkey
 *          4B + nB  the vault key, HPKE-sealed to the door's public key
 *    4B + nB  AES-256-GCM under the vault key, random nonce, padded: key ring, then the doors whole
 *
 * Public keys, device ids and names are inside: a body says how many doors there are and of which kinds, and not whose (T-06).
 */
const VERSION = 0x01
export const MAX_DEVICE_DOORS = 64
export const MAX_OTHER_DOORS = 16
const MAX_DOORS = MAX_DEVICE_DOORS + MAX_OTHER_DOORS
const SEAL_OVERHEAD_BYTES = AEAD_NONCE_BYTES + AEAD_TAG_BYTES
const NOTHING = new Uint8Array()

export type OpenedVault = { readonly ring: KeyRing; readonly doors: readonly Door[] }
type Box = { readonly door: ReadClosed; readonly sealed: Uint8Array }
type Body = { readonly boxes: readonly Box[]; readonly closed: Uint8Array; readonly sealedRing: Uint8Array }

/** The whole record, for the log's owner to sign (identity/vault-record.ts). Every vault has a key of its own. */
export async function sealVault(
  ring: KeyRing,
  number: number,
  doors: readonly Door[],
  dice: Dice,
): Promise<VaultRecord> {
  const devices = doors.filter((door) => door.kind === 'device').length
  if (devices > MAX_DEVICE_DOORS || doors.length - devices > MAX_OTHER_DOORS) throw new UsageError('vault/doors')
  const vaultKey = dice(AEAD_KEY_BYTES)
  const w = new Writer().u8(VERSION).u8(doors.length)
  const inside = new Writer().block(encodeKeyRing(ring)).u8(doors.length)
  for (const door of doors) {
    writeClosed(w, door)
    w.block(await sealForDoor(door, number, vaultKey, dice))
    writeDoor(inside, door)
  }
  const closed = w.done()
  const content = inside.done()
  const sealed = await sealRandomNonce(vaultKey, pad(content, SEAL_OVERHEAD_BYTES), boundTo(number, closed), dice)
  wipe(vaultKey, content)
  const generation = newest(ring)
  const body = new Writer().raw(closed).block(sealed).done()
  return { number, generation: generation.generation, tokenHash: logTokenHash(generation), body }
}

/** The doors that a person can open with what they know or hold. @throws WireError */
export function closedDoorsOf({ body }: Pick<VaultRecord, 'body'>): ClosedDoor[] {
  return decodeBody(body).boxes.flatMap(({ door }) => ('id' in door ? [door] : []))
}

/**
 * @param checked of `checkVaultRecord`, with the owner that was expected (VLT2)
 * @param keyRingHash of the account's newest manifest; only who does not know the account yet can't have it, and compares later
 * @throws WireError; CryptoError 'vault/door' when the key opens none, 'vault/owner', 'vault/generation' or 'vault/key-ring'
 */
export async function openVault(
  { record, owner }: { readonly record: VaultRecord; readonly owner: Uint8Array },
  key: DoorKey,
  keyRingHash?: Uint8Array,
): Promise<OpenedVault> {
  const { boxes, closed, sealedRing } = decodeBody(record.body)
  const vaultKey = await openDoor(boxes, record.number, key)
  const content = unpad(await openRandomNonce(vaultKey, sealedRing, boundTo(record.number, closed)))
  wipe(vaultKey)
  const opened = decodeContent(content)
  const { ring } = opened
  wipe(content)
  if (!equalBytes(ring.ownerKey, owner)) throw new CryptoError('vault/owner')
  const { generation } = newest(ring)
  if (generation !== record.generation || !equalBytes(logTokenHash(newest(ring)), record.tokenHash)) {
    throw new CryptoError('vault/generation')
  }
  // VLT4: the root signed this hash. A door opened does not say that the ring behind it is the account's.
  if (keyRingHash !== undefined && !equalBytes(hashKeyRing(ring), keyRingHash)) throw new CryptoError('vault/key-ring')
  return opened
}

function sealForDoor(door: Door, number: number, vaultKey: Uint8Array, dice: Dice): Promise<Uint8Array> {
  const info = doorInfo(door, number)
  return door.kind === 'device'
    ? sealHpke(door.publicKey, info, NOTHING, vaultKey, dice)
    : sealXWing(door.publicKey, info, NOTHING, vaultKey, dice)
}

async function openDoor(boxes: readonly Box[], number: number, key: DoorKey): Promise<Uint8Array> {
  for (const { door, sealed } of boxes) {
    if (door.kind !== key.kind || ('id' in door && 'id' in key && !equalBytes(door.id, key.id))) continue
    try {
      const info = doorInfo(door, number)
      return key.kind === 'device'
        ? await openHpke(key.pair, info, NOTHING, sealed)
        : await openXWing(key.seed, info, NOTHING, sealed)
    } catch (error) {
      // Boxes of devices name nobody: each device tries them, sixty-four at most.
      if (!(error instanceof CryptoError || error instanceof WireError)) throw error
    }
  }
  throw new CryptoError('vault/door')
}

function doorInfo(door: ReadClosed | Door, number: number): Uint8Array {
  const w = new Writer().raw(labels.vaultDoor).u32(number).block(toUtf8(door.kind))
  return 'id' in door ? w.raw(door.id).done() : w.done()
}

function decodeBody(bytes: Uint8Array): Body {
  const r = new Reader(bytes, MAX_VAULT_BYTES)
  if (r.u8() !== VERSION) throw new WireError('vault/version')
  const count = r.u8()
  if (count > MAX_DOORS) throw new WireError('vault/doors')
  const boxes = Array.from({ length: count }, () => ({
    door: readClosed(r),
    sealed: r.block(X_WING_OVERHEAD_BYTES + AEAD_KEY_BYTES),
  }))
  const closed = bytes.slice(0, bytes.length - r.left)
  const sealedRing = r.block(MAX_VAULT_BYTES)
  r.end()
  return { boxes, closed, sealedRing }
}

function decodeContent(bytes: Uint8Array): OpenedVault {
  const r = new Reader(bytes, MAX_VAULT_BYTES)
  const ring = decodeKeyRing(r.block(MAX_KEY_RING_BYTES))
  const count = r.u8()
  if (count > MAX_DOORS) throw new WireError('vault/doors')
  const doors = Array.from({ length: count }, () => readDoor(r))
  r.end()
  return { ring, doors }
}

function boundTo(number: number, closed: Uint8Array): Uint8Array {
  return new Writer().raw(labels.vaultSeal).u32(number).raw(sha256(closed)).done()
}
