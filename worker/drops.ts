import { Reader } from '#core/bytes/reader.ts'
import { Writer } from '#core/bytes/writer.ts'
import { AEAD_NONCE_BYTES, AEAD_TAG_BYTES } from '#core/crypto/aead.ts'
import { openChacha, sealChacha } from '#core/crypto/chacha.ts'
import { labels } from '#core/crypto/labels.ts'
import { type Dice, systemDice } from '#core/crypto/random.ts'
import { ADDRESS_BYTES, type Address, LABEL_BYTES, type WakeLabel } from '#core/wire/ids.ts'

/**
 * Drop: which mailbox to wake, and the label to leave there (docs/spec/drop.md).
 *
 *    1B  version (0x01)
 *   12B  nonce
 *   64B  sealed under the realm's drop key: 32B mailbox, 16B label, 16B tag
 *
 * DRP2: an object never stores the bytes that it was given; it opens them and seals anew, so that the rows of two seats
 * have nothing in common (T-06).
 */
export type Drop = { readonly mailbox: Address; readonly label: WakeLabel }

const VERSION = 0x01
const DROP_BYTES = 1 + AEAD_NONCE_BYTES + ADDRESS_BYTES + LABEL_BYTES + AEAD_TAG_BYTES

export function sealDrop(key: Uint8Array, { mailbox, label }: Drop, dice: Dice = systemDice): Uint8Array {
  const nonce = dice(AEAD_NONCE_BYTES)
  const plain = new Writer().raw(mailbox).raw(label).done()
  return new Writer()
    .u8(VERSION)
    .raw(nonce)
    .raw(sealChacha(key, nonce, plain, labels.drop))
    .done()
}

/** @returns undefined for anything that this realm did not seal: whoever sent it learns no more */
export function openDrop(key: Uint8Array, drop: Uint8Array): Drop | undefined {
  if (drop.length !== DROP_BYTES || drop[0] !== VERSION) return undefined
  const r = new Reader(drop.subarray(1), DROP_BYTES)
  const nonce = r.take(AEAD_NONCE_BYTES)
  try {
    const plain = new Reader(openChacha(key, nonce, r.take(r.left), labels.drop), DROP_BYTES)
    return { mailbox: plain.take(ADDRESS_BYTES) as Address, label: plain.take(LABEL_BYTES) as WakeLabel }
  } catch {
    return undefined
  }
}

/** DRP2. */
export function resealDrop(key: Uint8Array, drop: Uint8Array): Uint8Array | undefined {
  const opened = openDrop(key, drop)
  return opened && sealDrop(key, opened)
}
