import { wordlist } from '@scure/bip39/wordlists/english.js'
import { toUtf8 } from '../bytes/utf8.ts'
import { wipe } from '../bytes/wipe.ts'
import { type Argon2Params, argon2id } from '../crypto/argon2id.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { InputError } from '../errors.ts'

/** PWD1: at least twelve characters, or six random words of BIP-39's list, which are 66 bits. */
export const MIN_PASSPHRASE_CHARACTERS = 12
const WORDS = 6
const MAX_CHARACTERS = 1024
const SEED_BYTES = 32

/** Six words to offer. */
export function makePassphrase(dice: Dice): string {
  const drawn = dice(WORDS * 2)
  const view = new DataView(drawn.buffer, drawn.byteOffset, drawn.length)
  // 2,048 words divide what two bytes can say, so each word is as likely as any other.
  const words = Array.from({ length: WORDS }, (_, i) => wordlist[view.getUint16(i * 2) % wordlist.length] ?? '')
  wipe(drawn)
  return words.join(' ')
}

/** The same bytes however it was typed: composed forms, full width, white space. @throws InputError 'passphrase/short' or 'passphrase/long' */
export function passphraseBytes(text: string): Uint8Array {
  if (text.length > 4 * MAX_CHARACTERS) throw new InputError('passphrase/long')
  const plain = text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ')
  const characters = [...plain].length
  if (characters < MIN_PASSPHRASE_CHARACTERS) throw new InputError('passphrase/short')
  if (characters > MAX_CHARACTERS) throw new InputError('passphrase/long')
  return toUtf8(plain)
}

/** The seed of a passphrase door's key pair (PWD2). It takes its time: in a worker only. @throws InputError, WireError 'argon2/params' */
export async function passphraseSeed(text: string, params: Argon2Params): Promise<Uint8Array> {
  const password = passphraseBytes(text)
  const stretched = await argon2id(password, params)
  const seed = hkdf('sha512', stretched, new Uint8Array(), labels.passphraseDoor, SEED_BYTES)
  wipe(password, stretched)
  return seed
}
