import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { HPKE_OVERHEAD_BYTES, openHpke, sealHpke } from '#core/crypto/hpke.ts'
import { dhKeyPairFrom, generateDhKeyPair } from '#core/crypto/x25519.ts'
import { CryptoError, WireError } from '#core/errors.ts'

const peer = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
const text = (s: string) => new TextEncoder().encode(s)
const exact = (bytes: Uint8Array) => new Uint8Array(bytes).buffer
const privateBytes = sha256(text('recipient'))
const recipient = await dhKeyPairFrom(privateBytes)

describe('HPKE, base mode', () => {
  it('[C-01] what is sealed here opens in another implementation', async () => {
    const sealed = await sealHpke(recipient.publicKey, text('info'), text('aad'), text('hello'))
    expect(sealed).toHaveLength(5 + HPKE_OVERHEAD_BYTES)
    const opened = await peer.open(
      {
        recipientKey: await peer.kem.importKey('raw', exact(privateBytes), false),
        enc: exact(sealed.slice(0, 32)),
        info: exact(text('info')),
      },
      exact(sealed.slice(32)),
      exact(text('aad')),
    )
    expect(new Uint8Array(opened)).toEqual(text('hello'))
  })

  it('[C-01] what was hashed of one info is not taken for another, nor changed with the bytes that it was of', async () => {
    const info = text('info 1')
    const first = await sealHpke(recipient.publicKey, info, text(''), text('one'))
    info.set(text('2'), 5)
    const second = await sealHpke(recipient.publicKey, info, text(''), text('two'))
    expect(await openHpke(recipient, text('info 1'), text(''), first)).toEqual(text('one'))
    expect(await openHpke(recipient, text('info 2'), text(''), second)).toEqual(text('two'))
    await expect(openHpke(recipient, text('info 1'), text(''), second)).rejects.toThrow(CryptoError)
  })

  it('[C-01] what another implementation seals opens here', async () => {
    const recipientPublicKey = await peer.kem.importKey('raw', exact(recipient.publicKey), true)
    const { ct, enc } = await peer.seal(
      { recipientPublicKey, info: exact(text('info')) },
      exact(text('hello')),
      exact(text('aad')),
    )
    const bytes = concatBytes(new Uint8Array(enc), new Uint8Array(ct))
    expect(await openHpke(recipient, text('info'), text('aad'), bytes)).toEqual(text('hello'))
  })

  it('[C-01] opens with the right key, info and aad only', async () => {
    const sealed = await sealHpke(recipient.publicKey, text('info'), text('aad'), text('hello'))
    const other = await generateDhKeyPair()
    await expect(openHpke(other, text('info'), text('aad'), sealed)).rejects.toThrow(CryptoError)
    await expect(openHpke(recipient, text('infO'), text('aad'), sealed)).rejects.toThrow('aead/open')
    await expect(openHpke(recipient, text('info'), text('aaD'), sealed)).rejects.toThrow('aead/open')
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1)
      await expect(openHpke(recipient, text('info'), text('aad'), changed)).rejects.toThrow(CryptoError)
    }
    await expect(openHpke(recipient, text('info'), text('aad'), sealed.slice(0, 47))).rejects.toThrow(WireError)
  })

  it('[C-01] the ephemeral key comes from the dice', async () => {
    const dice = (length: number) => new Uint8Array(length).fill(5)
    const seal = () => sealHpke(recipient.publicKey, text('info'), text('aad'), text('hello'), dice)
    expect(await seal()).toEqual(await seal())
  })
})
