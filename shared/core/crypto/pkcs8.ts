import { concatBytes } from '../bytes/concat.ts'
import { UsageError } from '../errors.ts'

/** RFC 8410 section 7: the frame around a raw 32-byte private key, the one form in which WebCrypto takes it. */
const PREFIX = {
  // SEQUENCE { 0, SEQUENCE { OID 1.3.101.110 or .112 }, OCTET STRING { OCTET STRING { key } } }
  X25519: Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20),
  Ed25519: Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20),
} as const

export function toPkcs8(curve: keyof typeof PREFIX, privateKey: Uint8Array): Uint8Array<ArrayBuffer> {
  if (privateKey.length !== 32) throw new UsageError('pkcs8/length')
  return new Uint8Array(concatBytes(PREFIX[curve], privateKey))
}
