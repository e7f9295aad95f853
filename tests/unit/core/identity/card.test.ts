import { describe, expect, it } from 'vitest'
import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { InputError, UsageError } from '#core/errors.ts'
import { type Card, encodeCard, readCard } from '#core/identity/card.ts'
import { decodePasskeyHandle, encodePasskeyHandle, isOwnerOf } from '#core/identity/passkey-handle.ts'
import { address, bytes } from '../log/support.ts'

const card: Card = {
  origin: 'https://stave.example',
  realmKey: bytes(1),
  logAddress: address,
  ownerKey: bytes(3),
  doorId: bytes(4).slice(0, 16),
}
const text = encodeCard(card)

describe('the card of a passphrase', () => {
  it('[CRD1] is read back from what was pasted or printed', () => {
    expect(text).toMatch(/^stave-card:[\w-]+$/)
    expect(readCard(text)).toEqual(card)
    expect(readCard(`Keep this:\n  ${text.replaceAll(/(.{30})/g, '$1\n')}  `)).toEqual(card)
    expect(readCard(text.replace('stave-card', 'Stave-Card'))).toEqual(card)
    expect(readCard(encodeCard({ ...card, origin: 'http://localhost:8787' })).origin).toBe('http://localhost:8787')
  })

  it('[CRD1] says what is wrong with it', () => {
    expect(() => readCard('hello')).toThrow('card/not-a-card')
    expect(() => readCard(text.slice(0, 60))).toThrow('card/truncated')
    expect(() => readCard(text.slice(0, -4))).toThrow('card/truncated')
    const raw = fromBase64url(text.slice('stave-card:'.length))
    expect(() => readCard(`stave-card:${toBase64url(raw.with(0, 2))}`)).toThrow('card/version')
    const other = new TextEncoder().encode('https://user@a.example')
    const foreign = new Uint8Array([1, 0, 0, 0, other.length, ...other, ...raw.slice(26)])
    expect(() => readCard(`stave-card:${toBase64url(foreign)}`)).toThrow('card/not-a-card')
    expect(() => readCard('x'.repeat(100_000))).toThrow(InputError)
    expect(() => encodeCard({ ...card, origin: 'https://stave.example/path' })).toThrow(UsageError)
  })
})

describe('the user handle of a passkey', () => {
  const handle = encodePasskeyHandle(address, bytes(3))

  it('[CRD2] finds the log and knows its owner, in the 64 bytes that WebAuthn allows', () => {
    expect(handle).toHaveLength(64)
    const read = decodePasskeyHandle(handle)
    expect(read.logAddress).toEqual(address)
    expect(isOwnerOf(read, bytes(3))).toBe(true)
    expect(isOwnerOf(read, bytes(5))).toBe(false)
    expect(toHex(handle)).not.toContain(toHex(bytes(3)))
  })

  it('[CRD2] anything else is refused', () => {
    expect(() => decodePasskeyHandle(handle.with(0, 2))).toThrow('passkey-handle/version')
    expect(() => decodePasskeyHandle(handle.slice(1))).toThrow('passkey-handle/version')
    expect(() => decodePasskeyHandle(handle.slice(0, 63))).toThrow('reader/short')
    expect(() => decodePasskeyHandle(new Uint8Array(65).fill(1))).toThrow('reader/too-large')
  })
})
