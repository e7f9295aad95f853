import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { toUtf8 } from '../bytes/utf8.ts'
import { wipe } from '../bytes/wipe.ts'
import type { Dice } from '../crypto/random.ts'
import { source } from '../crypto/source.ts'
import { UsageError } from '../errors.ts'

/** The words of an identity (K-01): BIP-39, English, 24 words for 256 bits and 8 bits of checksum. */
export const PHRASE_WORDS = 24
export const ENTROPY_BYTES = 32
const PBKDF2 = { name: 'PBKDF2', hash: 'SHA-512', iterations: 2048 }
const SEED_BITS = 512

export function newPhrase(dice: Dice): readonly string[] {
  const entropy = dice(ENTROPY_BYTES)
  const words = entropyToPhrase(entropy)
  wipe(entropy)
  return words
}

export function entropyToPhrase(entropy: Uint8Array): readonly string[] {
  if (entropy.length !== ENTROPY_BYTES) throw new UsageError('phrase/entropy')
  return entropyToMnemonic(entropy, wordlist).split(' ')
}

/** @returns undefined when the checksum does not hold. One wrong word in 256 gets past it: look the account up too. */
export function phraseToEntropy(words: readonly string[]): Uint8Array | undefined {
  try {
    return mnemonicToEntropy(words.join(' '), wordlist)
  } catch {
    return undefined
  }
}

/** BIP-39, 'From mnemonic to seed': any words, no checksum asked. Stave's own phrases have no passphrase. */
export async function phraseToSeed(words: readonly string[], passphrase = ''): Promise<Uint8Array> {
  const password = toUtf8(words.join(' ').normalize('NFKD'))
  const salt = toUtf8(`mnemonic${passphrase.normalize('NFKD')}`)
  const key = await crypto.subtle.importKey('raw', source(password), 'PBKDF2', false, ['deriveBits'])
  wipe(password)
  return new Uint8Array(await crypto.subtle.deriveBits({ ...PBKDF2, salt: source(salt) }, key, SEED_BITS))
}
