import { describe, expect, it } from 'vitest'
import { WireError } from '#core/errors.ts'
import {
  CERTIFICATE_BYTES,
  decodeCertificate,
  encodeCertificate,
  sameDevice,
  signCertificate,
  verifyCertificate,
} from '#core/identity/certificate.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import { testAccount } from './accounts.ts'

const alice = await testAccount('alice')
const bob = await testAccount('bob')
const { certificate } = await alice.device(1)

describe('device certificate', () => {
  it('[IDN1] has one encoding of 149 bytes', () => {
    const encoded = encodeCertificate(certificate)
    expect(encoded).toHaveLength(CERTIFICATE_BYTES)
    expect(decodeCertificate(encoded)).toEqual(certificate)
    expect(() => decodeCertificate(encoded.with(0, 2))).toThrow('certificate/version')
    expect(() => decodeCertificate(encoded.slice(1))).toThrow(WireError)
    expect(() => decodeCertificate(new Uint8Array([...encoded, 0]))).toThrow(WireError)
  })

  it('[IDN2] holds only as the account signed it', async () => {
    expect(await verifyCertificate(certificate)).toBe(true)
    expect(await verifyCertificate({ ...certificate, sequence: 2 })).toBe(false)
    expect(await verifyCertificate({ ...certificate, account: bob.account })).toBe(false)
    const encoded = encodeCertificate(certificate)
    for (let at = 1; at < encoded.length; at++) {
      const changed = decodeCertificate(encoded.with(at, (encoded[at] ?? 0) ^ 1))
      expect(await verifyCertificate(changed)).toBe(false)
    }
  })

  it('[IDN2] another account can not certify for it', async () => {
    expect(await verifyCertificate(await signCertificate(certificate, bob.root))).toBe(false)
  })

  it('[IDN3] a device is its account, id and signing key', async () => {
    const { certificate: renewed } = await alice.device(1, 2)
    expect(sameDevice(certificate, renewed)).toBe(true)
    expect(sameDevice(certificate, { ...renewed, account: bob.account })).toBe(false)
    expect(sameDevice(certificate, { ...renewed, deviceId: new Uint8Array(16) as DeviceId })).toBe(false)
    expect(sameDevice(certificate, { ...renewed, signatureKey: new Uint8Array(32) })).toBe(false)
  })
})
