import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { sha256, sha512 } from '#core/crypto/hash.ts'
import { hkdf, hkdfExpand } from '#core/crypto/hkdf.ts'
import { hmacBytes } from '#core/crypto/hmac.ts'
import { labels } from '#core/crypto/labels.ts'
import { systemDice } from '#core/crypto/random.ts'
import { hashToken, newToken } from '#core/crypto/tokens.ts'
import { UsageError } from '#core/errors.ts'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const text = (s: string) => new TextEncoder().encode(s)

describe('hashes and derivation', () => {
  it('[K-01] RFC 5869, test case 1', () => {
    const okm = hkdf(
      'sha256',
      fromHex('0b'.repeat(22)),
      fromHex('000102030405060708090a0b0c'),
      fromHex('f0f1f2f3f4f5f6f7f8f9'),
      42,
    )
    expect(toHex(okm)).toBe('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865')
  })

  it('[K-01] agrees with the platform', () => {
    expect(sha256(text('abc'))).toEqual(new Uint8Array(createHash('sha256').update('abc').digest()))
    expect(sha512(text('abc'))).toEqual(new Uint8Array(createHash('sha512').update('abc').digest()))
    expect(hmacBytes('sha512', text('k'), text('d'))).toEqual(
      new Uint8Array(createHmac('sha512', 'k').update('d').digest()),
    )
    expect(hkdf('sha512', text('secret'), text('salt'), text('info'), 96)).toEqual(
      new Uint8Array(hkdfSync('sha512', 'secret', 'salt', 'info', 96)),
    )
    expect(() => hkdfExpand('sha256', new Uint8Array(32), text(''), 255 * 32 + 1)).toThrow(UsageError)
  })

  it('[K-01] labels are distinct, and none begins another', () => {
    const all = Object.values(labels).map((bytes) => new TextDecoder().decode(bytes))
    for (const label of all) {
      expect(label).toMatch(/^stave\/1\/[a-z-]+$/)
      expect(all.filter((other) => other.startsWith(label))).toEqual([label])
    }
  })

  it('[T-07] the relay keeps hashes of tokens, apart by purpose', () => {
    const token = newToken(systemDice)
    expect(token).toHaveLength(32)
    expect(newToken(systemDice)).not.toEqual(token)
    expect(hashToken(labels.seatToken, token)).not.toEqual(hashToken(labels.mailboxToken, token))
    const expected = createHash('sha256').update('stave/1/seat-token').update(token).digest()
    expect(hashToken(labels.seatToken, token)).toEqual(new Uint8Array(expected))
  })

  it('[K-01] the system dice fill any length', () => {
    const bytes = systemDice(200_000)
    expect(bytes).toHaveLength(200_000)
    expect(new Set(bytes.subarray(199_000)).size).toBeGreaterThan(200)
  })
})
