import { x25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { dh, dhKeyPairFrom, generateDhKeyPair, isDhPublicKey, passingDhKeyPair } from '#core/crypto/x25519.ts'
import { CryptoError, UsageError, WireError } from '#core/errors.ts'

import { LOW_ORDER } from './low-order.ts'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

describe('X25519', () => {
  it('[T-01] RFC 7748 section 6.1, and another implementation', async () => {
    const seed = new Uint8Array(32).fill(3)
    const alice = await dhKeyPairFrom(seed)
    expect(alice.publicKey).toEqual(x25519.getPublicKey(seed))
    const bob = await dhKeyPairFrom(fromHex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'))
    expect(toHex(bob.publicKey)).toBe('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f')
    const secret = await dh(alice.privateKey, bob.publicKey)
    expect(secret).toEqual(x25519.getSharedSecret(seed, bob.publicKey))
    expect(secret).toEqual(await dh(bob.privateKey, alice.publicKey))
  })

  it('[T-01] a pair for one operation is the same pair', async () => {
    const peer = await generateDhKeyPair()
    for (let n = 1; n < 5; n++) {
      const seed = new Uint8Array(32).fill(n)
      const [passing, kept] = [await passingDhKeyPair(seed), await dhKeyPairFrom(seed)]
      expect(passing.publicKey).toEqual(kept.publicKey)
      expect(await dh(passing.privateKey, peer.publicKey)).toEqual(await dh(kept.privateKey, peer.publicKey))
    }
  })

  it('[K-04] private keys do not leave WebCrypto', async () => {
    for (const pair of [await generateDhKeyPair(), await dhKeyPairFrom(new Uint8Array(32).fill(1))]) {
      await expect(crypto.subtle.exportKey('pkcs8', pair.privateKey)).rejects.toThrow()
    }
  })

  it('[T-01] refuses the secret that a low-order point gives, and wrong lengths', async () => {
    const { privateKey } = await generateDhKeyPair()
    await expect(dh(privateKey, new Uint8Array(32))).rejects.toThrow(CryptoError)
    await expect(dh(privateKey, new Uint8Array(32).with(0, 1))).rejects.toThrow('x25519/low-order')
    await expect(dh(privateKey, new Uint8Array(31))).rejects.toThrow(WireError)
    await expect(dhKeyPairFrom(new Uint8Array(31))).rejects.toThrow(UsageError)
  })

  it('[MLS25] [MAN13] tells a public key by its bytes as its use would, top bit or not', async () => {
    const { privateKey, publicKey } = await generateDhKeyPair()
    for (const point of LOW_ORDER) {
      for (const bytes of [point, point.with(31, (point[31] ?? 0) | 0x80)]) {
        expect(isDhPublicKey(bytes), toHex(bytes)).toBe(false)
        await expect(dh(privateKey, bytes)).rejects.toThrow('x25519/low-order')
      }
      for (const near of [point.with(0, (point[0] ?? 0) ^ 8), point.with(30, (point[30] ?? 0) ^ 1)]) {
        expect(isDhPublicKey(near), toHex(near)).toBe(true)
        await expect(dh(privateKey, near)).resolves.toHaveLength(32)
      }
    }
    expect(isDhPublicKey(publicKey)).toBe(true)
    expect(isDhPublicKey(publicKey.subarray(1))).toBe(false)
  })
})
