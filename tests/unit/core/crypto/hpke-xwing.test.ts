import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { toHex } from '#core/bytes/hex.ts'
import { sha256 } from '#core/crypto/hash.ts'
import {
  newXWingPair,
  openXWing,
  receiveXWingExport,
  sealXWing,
  sendXWingExport,
  X_WING_OVERHEAD_BYTES,
  xWingPairFrom,
} from '#core/crypto/hpke-xwing.ts'
import { X_WING_PUBLIC_BYTES } from '#core/crypto/x-wing.ts'
import { CryptoError, WireError } from '#core/errors.ts'

const text = (s: string) => new TextEncoder().encode(s)
const pair = await xWingPairFrom(sha256(text('recipient')))

describe('HPKE with X-Wing', () => {
  it('[K-09] opens with the right key, info and aad only', async () => {
    const sealed = await sealXWing(pair.publicKey, text('info'), text('aad'), text('hello'))
    expect(sealed).toHaveLength(5 + X_WING_OVERHEAD_BYTES)
    const open = (seed: Uint8Array, info: string, aad: string, bytes: Uint8Array) =>
      openXWing(seed, text(info), text(aad), bytes)
    expect(await open(pair.seed, 'info', 'aad', sealed)).toEqual(text('hello'))
    await expect(open((await newXWingPair()).seed, 'info', 'aad', sealed)).rejects.toThrow(CryptoError)
    await expect(open(pair.seed, 'infO', 'aad', sealed)).rejects.toThrow(CryptoError)
    await expect(open(pair.seed, 'info', 'aaD', sealed)).rejects.toThrow(CryptoError)
    for (let at = 0; at < sealed.length; at += 41) {
      const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1)
      await expect(open(pair.seed, 'info', 'aad', changed)).rejects.toThrow(CryptoError)
    }
    await expect(open(pair.seed, 'info', 'aad', sealed.slice(0, X_WING_OVERHEAD_BYTES - 1))).rejects.toThrow(WireError)
  })

  it('[K-06] exports the same secret on both sides, another for another context', async () => {
    const { enc, secret } = await sendXWingExport(pair.publicKey, text('info'), text('one'), 32)
    const received = (context: string) => receiveXWingExport(pair.seed, enc, text('info'), text(context), 32)
    expect(await received('one')).toEqual(secret)
    expect(await received('two')).not.toEqual(secret)
  })

  it('[K-09] what is no key is refused', async () => {
    const short = pair.publicKey.slice(1)
    await expect(sealXWing(short, text(''), text(''), text('x'))).rejects.toThrow('x-wing/public-key')
    await expect(xWingPairFrom(new Uint8Array(31))).rejects.toThrow('x-wing/private-key')
    const lowOrder = concatBytes(pair.publicKey.slice(0, -32), new Uint8Array(32))
    expect(lowOrder).toHaveLength(X_WING_PUBLIC_BYTES)
    await expect(sealXWing(lowOrder, text(''), text(''), text('x'))).rejects.toThrow('x25519/low-order')
  })

  it('[K-09] a seed gives the same key in every engine', async () => {
    // draft-connolly-cfrg-xwing-kem, appendix C, first vector: seed and the beginning of pk.
    const seed = Uint8Array.from(Buffer.from('7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26', 'hex'))
    const { publicKey } = await xWingPairFrom(seed)
    expect(toHex(publicKey).slice(0, 32)).toBe('e2236b35a8c24b39b10aa1323a96a919')
  })
})
