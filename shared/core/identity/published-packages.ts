import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import { type SigningKey, verify } from '../crypto/sign.ts'
import { encodeCbor } from '../wire/cbor.ts'
import type { ArgsOf } from '../wire/operations.ts'

/**
 * Key packages that a device leaves at its account, signed by the device (docs/spec/packages.md, PKG1). What is signed:
 *
 *    label  1B version (0x01: of the suite X-Wing, 0x02: of the classical one)  32B account  16B device
 *   32B  SHA-256 of CBOR [[[key package, drop], …], [key package, drop]]: the packages, then the last resort
 */
export type PublishedPackages = Omit<ArgsOf<'packages.put'>, 'signature'>

const VERSIONS = { xwing: 0x01, classical: 0x02 } as const

export function publishedBytes(published: PublishedPackages): Uint8Array {
  const { account, device, suite = 'xwing', packages, lastResort } = published
  const pairs = packages.map(({ keyPackage, drop }) => [keyPackage, drop])
  const hash = sha256(encodeCbor([pairs, [lastResort.keyPackage, lastResort.drop]]))
  return new Writer().raw(labels.packages).u8(VERSIONS[suite]).raw(account).raw(device).raw(hash).done()
}

export function signPublished(packages: PublishedPackages, device: Pick<SigningKey, 'sign'>): Promise<Uint8Array> {
  return device.sign(publishedBytes(packages))
}

export function verifyPublished(
  packages: PublishedPackages,
  signature: Uint8Array,
  signingKey: Uint8Array,
): Promise<boolean> {
  return verify(signingKey, publishedBytes(packages), signature)
}
