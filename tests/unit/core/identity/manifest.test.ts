import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { labels } from '#core/crypto/labels.ts'
import { CryptoError, StateError, UsageError, WireError } from '#core/errors.ts'
import { CERTIFICATE_BYTES, encodeCertificate } from '#core/identity/certificate.ts'
import { fingerprint } from '#core/identity/fingerprint.ts'
import { checkManifest, MAX_DEVICES, type Manifest, signManifest } from '#core/identity/manifest.ts'
import { MAX_MANIFEST_BYTES } from '#core/wire/limits.ts'
import { LOW_ORDER } from '../crypto/low-order.ts'
import { testAccount } from './accounts.ts'

const alice = await testAccount('alice')
const bob = await testAccount('bob')
const devices = [await alice.device(1), await alice.device(2), await alice.device(3)]
const inOrder = devices.toSorted((a, b) => Buffer.compare(a.certificate.deviceId, b.certificate.deviceId))
const first: Manifest = { account: alice.account, sequence: 7, devices: inOrder }
const vault = {
  phraseDoor: new Uint8Array(1216).fill(1),
  generation: 3,
  keyRingHash: new Uint8Array(32).fill(2),
  hpkeKey: new Uint8Array(32).fill(3),
}
const signed = await signManifest(first, alice.root)
const COUNT_AT = 1 + 32 + 4
/** Signs other bytes than the encoder makes. */
const resigned = async (body: Uint8Array) =>
  concatBytes(body, await alice.root.sign(concatBytes(labels.manifest, body)))

describe('manifest', () => {
  it('[K-05] comes back as it was signed, with and without a vault', async () => {
    expect(await checkManifest(signed, alice.account)).toEqual(first)
    const withVault = { ...first, vault }
    expect(await checkManifest(await signManifest(withVault, alice.root))).toEqual(withVault)
    expect(await checkManifest(await signManifest({ ...first, devices: [] }, alice.root))).toMatchObject({
      devices: [],
    })
  })

  it('[MAN2] a set of devices has one encoding, each device once', async () => {
    expect(await signManifest({ ...first, devices: inOrder.toReversed() }, alice.root)).toEqual(signed)
    const entry = CERTIFICATE_BYTES + 32
    const body = signed.slice(0, -64)
    const start = COUNT_AT + 1
    const [one, two] = [body.slice(start, start + entry), body.slice(start + entry, start + 2 * entry)]
    const head = body.slice(0, COUNT_AT)
    const reversed = concatBytes(head, Uint8Array.of(2), two, one, Uint8Array.of(0))
    await expect(checkManifest(await resigned(reversed))).rejects.toThrow('manifest/order')
    const twice = concatBytes(head, Uint8Array.of(2), one, one, Uint8Array.of(0))
    await expect(checkManifest(await resigned(twice))).rejects.toThrow('manifest/order')
  })

  it('[MAN13] a key that nothing can be sealed to, of a device or of the account, is refused', async () => {
    const good = { ...first, devices: devices.slice(0, 1), vault }
    for (const hpkeKey of LOW_ORDER) {
      const ofDevice = { ...good, devices: good.devices.map((device) => ({ ...device, hpkeKey })) }
      for (const bad of [ofDevice, { ...good, vault: { ...vault, hpkeKey } }]) {
        await expect(checkManifest(await signManifest(bad, alice.root))).rejects.toThrow('manifest/key')
      }
    }
  })

  it('[MAN3] a changed byte anywhere is refused', async () => {
    for (let at = 0; at < signed.length; at++) {
      const changed = checkManifest(signed.with(at, (signed[at] ?? 0) ^ 1))
      await expect(changed).rejects.toSatisfy((error) => error instanceof CryptoError || error instanceof WireError)
    }
    await expect(checkManifest(signed.slice(0, -1))).rejects.toThrow(WireError)
    await expect(checkManifest(concatBytes(signed, Uint8Array.of(0)))).rejects.toThrow(WireError)
    await expect(checkManifest(await signManifest(first, bob.root))).rejects.toThrow('manifest/signature')
  })

  it('[K-12] another account than the expected one is refused, however well signed', async () => {
    await expect(checkManifest(signed, bob.account)).rejects.toThrow('manifest/account')
  })

  it('[MAN4] a device of another account is refused', async () => {
    const mixed = await signManifest({ ...first, devices: [...devices, await bob.device(1)] }, alice.root)
    await expect(checkManifest(mixed)).rejects.toThrow('manifest/foreign-device')
  })

  it('[MAN5] a device that the root did not certify is refused', async () => {
    const { certificate, hpkeKey } = await alice.device(4)
    const forged = { certificate: { ...certificate, sequence: 2 }, hpkeKey }
    await expect(checkManifest(await signManifest({ ...first, devices: [forged] }, alice.root))).rejects.toThrow(
      'manifest/certificate',
    )
  })

  it('[K-05] an older one than the highest seen is refused, the same and newer ones are taken', async () => {
    const seen = { sequence: 7, manifest: signed }
    const older = await signManifest({ ...first, sequence: 6 }, alice.root)
    await expect(checkManifest(older, alice.account, seen)).rejects.toThrow(StateError)
    await expect(checkManifest(older, alice.account, seen)).rejects.toThrow('manifest/older')
    expect(await checkManifest(signed, alice.account, seen)).toEqual(first)
    const newer = await signManifest({ ...first, sequence: 8 }, alice.root)
    expect(await checkManifest(newer, alice.account, seen)).toMatchObject({ sequence: 8 })
  })

  it('[MAN8] [K-07] a device that was revoked never comes back by its certificate, a new one comes in by a new one', async () => {
    const revoked = {
      sequence: 8,
      manifest: await signManifest({ ...first, sequence: 8, devices: inOrder.slice(1) }, alice.root),
    }
    const back = await signManifest({ ...first, sequence: 9 }, alice.root)
    await expect(checkManifest(back, alice.account, revoked)).rejects.toThrow('manifest/revived')
    const added = { ...first, sequence: 9, devices: [...inOrder.slice(1), await alice.device(4, 9)] }
    expect((await checkManifest(await signManifest(added, alice.root), alice.account, revoked)).devices).toHaveLength(3)
    const tooOld = { ...added, devices: [...inOrder.slice(1), await alice.device(4, 8)] }
    await expect(checkManifest(await signManifest(tooOld, alice.root), alice.account, revoked)).rejects.toThrow(
      'revived',
    )
  })

  it('[MAN7] two different ones of one sequence are called equivocation', async () => {
    const other = await signManifest({ ...first, devices: devices.slice(1) }, alice.root)
    const seen = { sequence: 7, manifest: signed }
    await expect(checkManifest(other, alice.account, seen)).rejects.toThrow(CryptoError)
    await expect(checkManifest(other, alice.account, seen)).rejects.toThrow('manifest/equivocation')
  })

  it('[R-06] is bounded: 64 devices, the largest size, no unknown vault flag', async () => {
    const many = await Promise.all(Array.from({ length: MAX_DEVICES }, (_, i) => alice.device(i)))
    const full = await signManifest({ ...first, devices: many, vault }, alice.root)
    expect(full.length).toBeLessThan(MAX_MANIFEST_BYTES)
    expect((await checkManifest(full)).devices).toHaveLength(MAX_DEVICES)
    const over = { ...first, devices: [...many, await alice.device(100)] }
    await expect(signManifest(over, alice.root)).rejects.toThrow(UsageError)
    await expect(checkManifest(signed.with(COUNT_AT, 65))).rejects.toThrow('manifest/devices')
    await expect(checkManifest(new Uint8Array(MAX_MANIFEST_BYTES + 1))).rejects.toThrow('reader/too-large')
    const body = signed.slice(0, -64)
    await expect(checkManifest(await resigned(body.with(-1, 2)))).rejects.toThrow('manifest/vault')
    const door = { ...vault, phraseDoor: new Uint8Array(2049) }
    await expect(checkManifest(await signManifest({ ...first, vault: door }, alice.root))).rejects.toThrow(WireError)
  })

  it('[K-05] certificates in it are the bytes of the credentials', async () => {
    const [device] = (await checkManifest(signed)).devices
    if (device === undefined || inOrder[0] === undefined) throw new Error('no device')
    expect(encodeCertificate(device.certificate)).toEqual(encodeCertificate(inOrder[0].certificate))
  })

  it('[IDN4] a fingerprint is short and of the account alone', () => {
    expect(fingerprint(alice.account)).toMatch(/^([0-9a-f]{4} ){4}[0-9a-f]{4}$/)
    expect(fingerprint(alice.account)).not.toBe(fingerprint(bob.account))
  })
})
