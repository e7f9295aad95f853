import { sha256 } from '#core/crypto/hash.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import type { ListedDevice } from '#core/identity/manifest.ts'
import type { AccountId, DeviceId } from '#core/wire/ids.ts'

const bytes = (text: string, length = 32) => sha256(new TextEncoder().encode(text)).slice(0, length)

export async function testAccount(name: string) {
  const root = await signingKeyFromSeed(bytes(`root of ${name}`))
  const account = root.publicKey as AccountId
  const device = async (number: number, sequence = 1): Promise<ListedDevice> => ({
    certificate: await signCertificate(
      {
        account,
        deviceId: bytes(`id ${name} ${number}`, 16) as DeviceId,
        signatureKey: bytes(`signing ${name} ${number}`),
        sequence,
      },
      root,
    ),
    hpkeKey: bytes(`hpke ${name} ${number}`),
  })
  return { root, account, device }
}
