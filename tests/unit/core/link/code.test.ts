import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError, UsageError } from '#core/errors.ts'
import { encodeLink, encodeTypedCode, hashLinkKey, isKeyOf, linkAddressOf, readLinkCode } from '#core/link/code.ts'
import { decodeCrockford, encodeCrockford } from '#core/link/crockford.ts'
import { RUNS } from '../../../support/hostile.ts'
import { bytes } from '../log/support.ts'

const keyHash = hashLinkKey(bytes(1))
const realm = { origin: 'https://stave.example', realmKey: bytes(2) }
const link = encodeLink(keyHash, realm)
const typed = encodeTypedCode(keyHash)

describe('the code of a link', () => {
  it('[LNK2] as a link names realm and key, in the fragment', () => {
    expect(link).toMatch(/^https:\/\/stave\.example\/link#[\w-]{87}$/)
    expect(readLinkCode(link)).toEqual({ keyHash, realm })
    expect(readLinkCode(`  Open <${link}>.`)).toEqual({ keyHash, realm })
    expect(readLinkCode(link.replace('https://', ''))).toEqual({ keyHash, realm })
    const local = encodeLink(keyHash, { ...realm, origin: 'http://localhost:8787' })
    expect(readLinkCode(local).realm?.origin).toBe('http://localhost:8787')
    expect(() => encodeLink(keyHash, { ...realm, origin: 'stave.example' })).toThrow(UsageError)
  })

  it('[LNK2] as it is typed has sixteen characters that are not mistaken for others', () => {
    expect(typed).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const read = readLinkCode(typed)
    expect(read).toEqual({ keyHash: keyHash.slice(0, 10) })
    const forgiving = [typed.toLowerCase(), typed.replaceAll('-', ' '), typed.replaceAll('-', '\u2013'), ` ${typed}\n`]
    for (const text of forgiving) expect(readLinkCode(text)).toEqual(read)
    const mistaken = typed.replaceAll('0', 'o').replaceAll('1', 'l')
    expect(readLinkCode(mistaken)).toEqual(read)
  })

  it('[LNK2] both forms lead to one place, and to the one key', () => {
    for (const code of [readLinkCode(link), readLinkCode(typed)]) {
      expect(linkAddressOf(code)).toEqual(linkAddressOf({ keyHash }))
      expect(isKeyOf(code, bytes(1))).toBe(true)
      expect(isKeyOf(code, bytes(3))).toBe(false)
    }
    expect(linkAddressOf({ keyHash: hashLinkKey(bytes(3)) })).not.toEqual(linkAddressOf({ keyHash }))
  })

  it('[LNK2] says what is wrong with it', () => {
    expect(() => readLinkCode('')).toThrow('link/truncated')
    expect(() => readLinkCode(typed.slice(0, -1))).toThrow('link/truncated')
    expect(() => readLinkCode(`${typed}A`)).toThrow('link/not-a-code')
    expect(() => readLinkCode(typed.replace(/^./, 'U'))).toThrow('link/not-a-code')
    expect(() => readLinkCode(link.slice(0, -8))).toThrow('link/truncated')
    expect(() => readLinkCode(`${link}AAAA`)).toThrow('link/not-a-code')
    expect(() => readLinkCode(link.replace('/link#A', '/link#C'))).toThrow('link/version')
    expect(() => readLinkCode(link.replace('https', 'ftp'))).toThrow(InputError)
    expect(() => readLinkCode('x'.repeat(10_000))).toThrow('link/not-a-code')
  })

  it('[LNK2] base32 gives back what went in', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (value) => {
        expect(decodeCrockford(encodeCrockford(value))).toEqual(value)
      }),
      RUNS,
    )
    expect(encodeCrockford(new TextEncoder().encode('fooba'))).toBe('CSQPYRK1')
  })
})
