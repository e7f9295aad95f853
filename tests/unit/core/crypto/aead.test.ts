import { createDecipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  generateAeadKey,
  importAeadKey,
  openAead,
  openRandomNonce,
  sealAead,
  sealRandomNonce,
} from '#core/crypto/aead.ts'
import { CryptoError, UsageError, WireError } from '#core/errors.ts'

const KEY = new Uint8Array(32).fill(3)
const NONCE = new Uint8Array(12).fill(4)
const text = (s: string) => new TextEncoder().encode(s)

describe('AES-256-GCM', () => {
  it('[K-04] seals what another implementation opens, bound to its additional data', async () => {
    const sealed = await sealAead(KEY, NONCE, text('hello'), text('aad'))
    const peer = createDecipheriv('aes-256-gcm', KEY, NONCE)
    peer.setAAD(text('aad'))
    peer.setAuthTag(sealed.slice(-16))
    expect(Buffer.concat([peer.update(sealed.slice(0, -16)), peer.final()])).toEqual(Buffer.from('hello'))
    expect(await openAead(KEY, NONCE, sealed, text('aad'))).toEqual(text('hello'))
    await expect(openAead(KEY, NONCE, sealed, text('aae'))).rejects.toThrow('aead/open')
  })

  it('[K-04] a changed bit anywhere in nonce, ciphertext or tag does not open', async () => {
    const sealed = await sealRandomNonce(KEY, text('hello'), text('aad'))
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1)
      await expect(openRandomNonce(KEY, changed, text('aad'))).rejects.toThrow(CryptoError)
    }
    expect(await openRandomNonce(KEY, sealed, text('aad'))).toEqual(text('hello'))
  })

  it('[K-04] a random nonce differs each time, and comes from the dice it is given', async () => {
    const key = await importAeadKey(KEY)
    const [a, b] = [await sealRandomNonce(key, text('x')), await sealRandomNonce(key, text('x'))]
    expect(a).not.toEqual(b)
    const seeded = await sealRandomNonce(key, text('x'), undefined, (length) => new Uint8Array(length).fill(9))
    expect(seeded.slice(0, 12)).toEqual(new Uint8Array(12).fill(9))
  })

  it('[K-04] keys do not leave WebCrypto unless asked', async () => {
    await expect(crypto.subtle.exportKey('raw', await importAeadKey(KEY))).rejects.toThrow()
    await expect(crypto.subtle.exportKey('raw', await generateAeadKey())).rejects.toThrow()
    expect(new Uint8Array(await crypto.subtle.exportKey('raw', await importAeadKey(KEY, true)))).toEqual(KEY)
  })

  it('[R-06] refuses keys, nonces and sealed bytes of a wrong length', async () => {
    await expect(importAeadKey(new Uint8Array(16))).rejects.toThrow(UsageError)
    await expect(sealAead(KEY, new Uint8Array(8), text('x'))).rejects.toThrow(UsageError)
    await expect(openRandomNonce(KEY, new Uint8Array(27))).rejects.toThrow(WireError)
  })
})
