import { packageSuite } from '#app/packages/package-suites.ts'
import type { ContactRecord } from '#app/ports/records.ts'
import type { Change } from '#app/ports/store.ts'
import { labels } from '#core/crypto/labels.ts'
import type { Dice } from '#core/crypto/random.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { generateDhKeyPair } from '#core/crypto/x25519.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { signPublished } from '#core/identity/published-packages.ts'
import { MAX_LIFETIME_MS, makeKeyPackage, type SuiteId } from '#core/mls/index.ts'
import {
  type AccountId,
  type Address,
  DEVICE_BYTES,
  type DeviceId,
  type Token,
  type TokenHash,
  type WakeLabel,
} from '#core/wire/ids.ts'
import type { ArgsOf, OperationName, ReplyOf } from '#core/wire/operations.ts'
import type { SimDevice } from './sim-device.ts'

type Caller = { call<O extends OperationName>(op: O, args: ArgsOf<O>): Promise<ReplyOf<O>> }
export type Making = { readonly caller: Caller; readonly dice: Dice; readonly nowMs: number; readonly suite: SuiteId }

/**
 * People of one device each who have left a key package and are never seen again: members of a large group that nobody
 * runs. @returns them as contacts of whoever is to know them
 */
export async function phantoms(count: number, making: Making): Promise<readonly ContactRecord[]> {
  const made: ContactRecord[] = []
  for (let i = 0; i < count; i++) made.push(await phantom(`phantom ${i}`, making))
  return made
}

async function phantom(name: string, { caller, dice, nowMs, suite }: Making): Promise<ContactRecord> {
  const [root, device] = await Promise.all([signingKeyFromSeed(dice(32)), signingKeyFromSeed(dice(32))])
  const account = root.publicKey as AccountId
  const deviceId = dice(DEVICE_BYTES) as DeviceId
  const named = { account, deviceId, signatureKey: device.publicKey, sequence: 1 }
  const certificate = await signCertificate(named, root)
  const { publicKey: hpkeKey } = await generateDhKeyPair()
  const manifest = await signManifest({ account, sequence: 1, devices: [{ certificate, hpkeKey }] }, root)
  await caller.call('account.put', { manifest })
  const mailbox = { address: dice(32) as Address, token: dice(32) as Token }
  const tokenHash = hashToken<TokenHash>(labels.mailboxToken, mailbox.token)
  await caller.call('mailbox.open', { address: mailbox.address, tokenHash })
  const { drop } = await caller.call('mailbox.drop', { ...mailbox, label: dice(16) as WakeLabel })
  const signer = { publicKey: device.publicKey, sign: device.sign }
  const input = { suite, signer, certificate: encodeCertificate(certificate), nowMs, lifetimeMs: MAX_LIFETIME_MS }
  const { keyPackage } = await makeKeyPackage({ ...input, lastResort: true }, dice)
  const lastResort = { keyPackage, drop: new Uint8Array(drop) }
  const packages = { account, device: deviceId, suite: packageSuite(suite), packages: [], lastResort }
  const signature = await signPublished(packages, device)
  await caller.call('packages.put', { ...packages, signature })
  return { account, name, manifest, sequence: 1 }
}

/** As if the device had met them. */
export async function knows(device: SimDevice, people: readonly ContactRecord[]): Promise<void> {
  device.kill()
  const store = device.store()
  await store.takeOver()
  await store.write(people.map((record): Change => ({ put: 'contacts', key: `of ${record.name}`, record })))
}
