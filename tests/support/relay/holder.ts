import { labels } from '#core/crypto/labels.ts'
import {
  generateSigningKey,
  type SigningKey,
  type SigningKeyPair,
  sign,
  signingKeyFromSeed,
} from '#core/crypto/sign.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { type PublishedPackages, signPublished } from '#core/identity/published-packages.ts'
import type { AccountId, Address, DeviceId, Token, TokenHash, WakeLabel } from '#core/wire/ids.ts'
import type { PackageSuite } from '#core/wire/operations.ts'
import { Seeded } from '../seeded.ts'
import type { Caller } from './person.ts'

type Published = PublishedPackages['lastResort']
export type HeldDevice = { readonly id: DeviceId; readonly keys: SigningKeyPair; readonly drop: Uint8Array }

/** An account as the relay knows it: a root, devices, key packages. What the packages say is noise. */
export class Holder {
  readonly #dice: Seeded['dice']
  readonly root: SigningKey
  readonly account: AccountId
  caller: Caller
  sequence = 0
  /** The newest manifest that was signed here. */
  manifest = new Uint8Array()

  static async make(caller: Caller, seed: number): Promise<Holder> {
    const { dice } = new Seeded(seed)
    return new Holder(caller, dice, await signingKeyFromSeed(dice(32)))
  }

  private constructor(caller: Caller, dice: Seeded['dice'], root: SigningKey) {
    this.caller = caller
    this.#dice = dice
    this.root = root
    this.account = root.publicKey as AccountId
  }

  /** A device with a mailbox, not listed yet. */
  async newDevice(): Promise<HeldDevice> {
    const mailbox = { address: this.#dice(32) as Address, token: this.#dice(32) as Token }
    const tokenHash = hashToken<TokenHash>(labels.mailboxToken, mailbox.token)
    await this.caller.call('mailbox.open', { address: mailbox.address, tokenHash })
    const { drop } = await this.caller.call('mailbox.drop', { ...mailbox, label: this.#dice(16) as WakeLabel })
    return { id: this.#dice(16) as DeviceId, keys: await generateSigningKey(), drop: new Uint8Array(drop) }
  }

  /** Signs the next manifest, and puts it. */
  async list(...devices: readonly HeldDevice[]): Promise<void> {
    this.manifest = await this.sign(++this.sequence, devices)
    await this.caller.call('account.put', { manifest: this.manifest })
  }

  async sign(sequence: number, devices: readonly HeldDevice[] = []): Promise<Uint8Array<ArrayBuffer>> {
    const listed = await Promise.all(
      devices.map(async ({ id, keys }) => {
        const named = { account: this.account, deviceId: id, signatureKey: keys.publicKey, sequence }
        return { certificate: await signCertificate(named, this.root), hpkeKey: this.#dice(32) }
      }),
    )
    const { account } = this
    return new Uint8Array(await signManifest({ account, sequence, devices: listed }, this.root))
  }

  published({ drop }: HeldDevice, bytes = 200): Published {
    return { keyPackage: this.#dice(bytes), drop }
  }

  /** What a device would publish: so many packages, and a last resort. */
  packagesOf(device: HeldDevice, count: number): PublishedPackages {
    const packages = Array.from({ length: count }, () => this.published(device))
    return { account: this.account, device: device.id, packages, lastResort: this.published(device) }
  }

  async publish(packages: PublishedPackages, { keys }: HeldDevice) {
    const signature = await signPublished(packages, { sign: (data) => sign(keys.privateKey, data) })
    return this.caller.call('packages.put', { ...packages, signature })
  }

  count({ id }: HeldDevice, suite?: PackageSuite) {
    return this.caller.call('packages.count', { account: this.account, device: id, ...(suite && { suite }) })
  }

  async take(caller = this.caller, suite?: PackageSuite) {
    return (await caller.call('packages.take', { account: this.account, ...(suite && { suite }) })).devices
  }
}
