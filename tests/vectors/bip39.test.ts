import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { entropyToPhrase, phraseToEntropy, phraseToSeed } from '#core/keys/phrase.ts'
import { readPhrase } from '#core/keys/read-phrase.ts'

type Case = readonly [entropy: string, words: string, seed: string, xprv: string]

const file = resolve(process.env.STAVE_VECTORS ?? '../shared/vectors', 'bip39.json')
const present = existsSync(file)
if (!present) console.error(`skipped: no BIP-39 vectors at ${file}`)
const cases: { english: Case[]; japanese: Case[] } = present
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { english: [], japanese: [] }
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

describe.skipIf(!present)('published BIP-39 vectors', () => {
  it('has cases of 24 words', () => {
    expect(cases.english.filter(([entropy]) => entropy.length === 64).length).toBeGreaterThan(5)
    expect(cases.japanese.length).toBeGreaterThan(5)
  })

  it.each(cases.english)('[K-01] English: entropy %s', async (entropy, words, seed) => {
    expect(toHex(phraseToEntropy(words.split(' ')) ?? new Uint8Array())).toBe(entropy)
    expect(toHex(await phraseToSeed(words.split(' '), 'TREZOR'))).toBe(seed)
    if (entropy.length === 64) {
      expect(entropyToPhrase(fromHex(entropy)).join(' ')).toBe(words)
      expect(readPhrase(words)).toEqual({ ok: true, words: words.split(' ') })
    }
  })

  it.each(cases.japanese)(
    '[K-01] Japanese: the seed of entropy %s needs no word list',
    async (_entropy, words, seed) => {
      expect(toHex(await phraseToSeed(words.split('\u3000'), 'TREZOR'))).toBe(seed)
    },
  )
})
