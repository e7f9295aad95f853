import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { toHex } from '#core/bytes/hex.ts'
import { isUsablePoint } from '#core/crypto/ed25519-points.ts'
import { sha512 } from '#core/crypto/hash.ts'
import { generateSigningKey, sign, signingKeyFromSeed, verify } from '#core/crypto/sign.ts'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const text = (s: string) => new TextEncoder().encode(s)

describe('Ed25519', () => {
  it('[K-01] RFC 8032 section 7.1, test 2', async () => {
    const key = await signingKeyFromSeed(fromHex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'))
    expect(toHex(key.publicKey)).toBe('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
    expect(toHex(await key.sign(Uint8Array.of(0x72)))).toBe(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    )
  })

  it('[K-04] device keys sign and do not leave WebCrypto', async () => {
    const { privateKey, publicKey } = await generateSigningKey()
    const signature = await sign(privateKey, text('hello'))
    expect(await verify(publicKey, text('hello'), signature)).toBe(true)
    await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow()
    const seeded = await signingKeyFromSeed(new Uint8Array(32))
    await expect(crypto.subtle.exportKey('pkcs8', seeded.privateKey)).rejects.toThrow()
  })

  it('[K-05] a changed message, signature or key does not verify', async () => {
    const key = await signingKeyFromSeed(new Uint8Array(32).fill(1))
    const signature = await key.sign(text('hello'))
    expect(await verify(key.publicKey, text('hello'), signature)).toBe(true)
    expect(await verify(key.publicKey, text('hallo'), signature)).toBe(false)
    for (let at = 0; at < 64; at++) {
      expect(await verify(key.publicKey, text('hello'), signature.with(at, (signature[at] ?? 0) ^ 1))).toBe(false)
    }
    for (let at = 0; at < 32; at++) {
      const other = key.publicKey.with(at, (key.publicKey[at] ?? 0) ^ 1)
      expect(await verify(other, text('hello'), signature)).toBe(false)
    }
    expect(await verify(key.publicKey.slice(1), text('hello'), signature)).toBe(false)
    expect(await verify(key.publicKey, text('hello'), signature.slice(1))).toBe(false)
  })

  it('[K-05] small-order keys, which fit any message, are refused', async () => {
    const order8 = ed25519.Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
    const encodings = new Set<string>()
    let point = ed25519.Point.ZERO
    for (let i = 0; i < 8; i++) {
      encodings.add(point.toHex())
      point = point.add(order8)
    }
    expect(encodings.size).toBe(8)
    for (const hex of encodings) {
      expect(isUsablePoint(fromHex(hex))).toBe(false)
      const forged = new Uint8Array([...fromHex(hex), ...new Uint8Array(32)]) // S = 0, R = A
      expect(await verify(fromHex(hex), text('anything'), forged)).toBe(false)
    }
  })

  it('[K-05] a signature whose R is of small order is refused, though the equation holds', async () => {
    const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(new Uint8Array(32).fill(9))
    const neutral = ed25519.Point.ZERO.toBytes()
    const digest = sha512(concatBytes(neutral, pointBytes, text('x'))).toReversed()
    const order = ed25519.Point.Fn.ORDER
    const s = ((BigInt(`0x${toHex(digest)}`) % order) * scalar) % order
    const forged = concatBytes(neutral, fromHex(s.toString(16).padStart(64, '0')).toReversed())
    expect(ed25519.verify(forged, text('x'), pointBytes, { zip215: true })).toBe(true)
    expect(await verify(pointBytes, text('x'), forged)).toBe(false)
  })

  it('[K-05] only canonical encodings are points', () => {
    const p = `ed${'ff'.repeat(30)}7f`
    expect(isUsablePoint(fromHex(p))).toBe(false) // 0 again
    expect(isUsablePoint(fromHex(p).with(31, 0xff))).toBe(false)
    expect(isUsablePoint(fromHex(`ff${'ff'.repeat(30)}7f`))).toBe(false)
    expect(isUsablePoint(fromHex(`eb${'ff'.repeat(30)}7f`))).toBe(true) // p - 2
    expect(isUsablePoint(ed25519.Point.BASE.toBytes())).toBe(true)
  })

  it('[K-05] verifies with more keys than it remembers', async () => {
    const first = await signingKeyFromSeed(new Uint8Array(32))
    const signature = await first.sign(text('x'))
    for (let i = 1; i < 300; i++) {
      const seed = new Uint8Array(32).fill(i & 0xff).with(0, i >> 8)
      expect(await verify(ed25519.getPublicKey(seed), text('x'), signature)).toBe(false)
    }
    expect(await verify(first.publicKey, text('x'), signature)).toBe(true)
  })
})
