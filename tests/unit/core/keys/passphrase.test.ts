import { wordlist } from '@scure/bip39/wordlists/english.js'
import { describe, expect, it } from 'vitest'
import { fromUtf8 } from '#core/bytes/utf8.ts'
import { makePassphrase, passphraseBytes, passphraseSeed } from '#core/keys/passphrase.ts'
import { countingDice } from '../log/support.ts'

describe('a passphrase', () => {
  it('[PWD1] offered has six words of the list, and passes', () => {
    const seen = new Set<string>()
    for (let n = 0; n < 50; n++) {
      const offered = makePassphrase(countingDice(n))
      const words = offered.split(' ')
      expect(words).toHaveLength(6)
      for (const word of words) expect(wordlist).toContain(word)
      expect(passphraseBytes(offered).length).toBeGreaterThanOrEqual(12)
      seen.add(offered)
    }
    expect(seen.size).toBe(50)
  })

  it('[PWD1] has twelve characters or more, counted as a person counts', () => {
    const twelve = 'zwölf Zeiche'
    expect(() => passphraseBytes('too short')).toThrow('passphrase/short')
    expect(passphraseBytes(twelve.normalize('NFD'))).toEqual(passphraseBytes(twelve))
    expect(() => passphraseBytes('zwölf Zeich'.normalize('NFD')), '12 code points, 11 letters').toThrow(
      'passphrase/short',
    )
    expect(() => passphraseBytes('   a    b    c   '), 'white space is not length').toThrow('passphrase/short')
    expect(() => passphraseBytes('x'.repeat(1025))).toThrow('passphrase/long')
    expect(() => passphraseBytes('x'.repeat(1_000_000))).toThrow('passphrase/long')
  })

  it('[PWD1] is the same however it was typed, and its case counts', () => {
    const plain = 'Pass word one two'
    expect(fromUtf8(passphraseBytes('\n Pass\u3000word\u00a0 one\ttwo '))).toBe(plain)
    expect(fromUtf8(passphraseBytes('Ｐａｓｓ word one two'))).toBe(plain)
    expect(passphraseBytes('pass word one two')).not.toEqual(passphraseBytes(plain))
  })

  it('[PWD2] is stretched under the salt and cost that stand with it', async () => {
    const params = { salt: new Uint8Array(16), memoryKib: 8 * 1024, passes: 1, lanes: 1 }
    const seed = await passphraseSeed('correct horse battery', params)
    expect(await passphraseSeed(' correct  horse battery', params)).toEqual(seed)
    const salted = { ...params, salt: new Uint8Array(16).fill(1) }
    expect(await passphraseSeed('correct horse battery', salted)).not.toEqual(seed)
    expect(await passphraseSeed('correct horse battery', { ...params, passes: 2 })).not.toEqual(seed)
  })
})
