import type { Dice } from '#core/crypto/random.ts'
import { sign, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { encodeKeyRing, hashKeyRing, makeKeyRing } from '#core/keys/key-ring.ts'
import type { NewDevice } from '#core/link/ask.ts'
import type { LinkCode } from '#core/link/code.ts'
import type { Grant } from '#core/link/grant.ts'
import { type Holder, type HolderEvent, holderAwaits, holderPut, joinLink, stepHolder } from '#core/link/holder.ts'
import {
  keyHashOf,
  type Newcomer,
  type NewcomerEvent,
  newcomerAwaits,
  newcomerPut,
  offerLink,
  stepNewcomer,
} from '#core/link/newcomer.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { bytes, countingDice, device } from '../log/support.ts'

export const NOW_MS = Date.UTC(2026, 5, 1)
const root = await signingKeyFromSeed(bytes(60))
const account = root.publicKey as AccountId
const newKey = await signingKeyFromSeed(bytes(61))
export const ring = makeKeyRing({ account, logAddressSecret: bytes(4), ownerKey: bytes(5) }, countingDice())

export const asking: NewDevice = {
  deviceId: device(7),
  signatureKey: newKey.publicKey,
  hpkeKey: bytes(62),
  name: 'phone',
  kind: 'web',
}
export const confirmed = {
  type: 'confirmed',
  device: asking,
  sign: (data: Uint8Array) => sign(newKey.privateKey, data),
} as const

/** What an honest holder gives, or nearly. */
export async function grantFor(given: NewDevice, change: { hpkeKey?: Uint8Array; ringHash?: Uint8Array } = {}) {
  const { deviceId, signatureKey } = given
  const certificate = await signCertificate({ account, deviceId, signatureKey, sequence: 1 }, root)
  const manifest = await signManifest(
    {
      account,
      sequence: 2,
      devices: [{ certificate, hpkeKey: change.hpkeKey ?? given.hpkeKey }],
      vault: {
        phraseDoor: bytes(63),
        generation: 1,
        keyRingHash: change.ringHash ?? hashKeyRing(ring),
        hpkeKey: bytes(64),
      },
    },
    root,
  )
  const grant: Grant = {
    name: 'Ann',
    by: device(1),
    certificate: encodeCertificate(certificate),
    manifest,
    keyRing: encodeKeyRing(ring),
    vaultNumber: 2,
    origin: 'https://stave.example',
    realmKey: bytes(65),
  }
  return grant
}

type Slots = Map<number, Uint8Array>
/** The relay between them; both sides may look at another one. */
export class Meeting {
  readonly dice: Dice
  newcomer: Newcomer
  holder: Holder
  readonly slots: Slots = new Map()

  private constructor(newcomer: Newcomer, holder: Holder, dice: Dice) {
    this.newcomer = newcomer
    this.holder = holder
    this.dice = dice
  }

  static async begin(seed = 0, read: (keyHash: Uint8Array) => LinkCode = (keyHash) => ({ keyHash })) {
    const dice = countingDice(seed)
    const newcomer = await offerLink(NOW_MS, dice)
    return new Meeting(newcomer, joinLink(read(keyHashOf(newcomer)), NOW_MS, dice), dice)
  }

  async tellNewcomer(event: NewcomerEvent): Promise<void> {
    this.newcomer = await stepNewcomer(this.newcomer, event, this.dice)
  }

  async tellHolder(event: HolderEvent): Promise<void> {
    this.holder = await stepHolder(this.holder, event, this.dice)
  }

  /** Until neither gets on: what each puts, and what the relay makes of it. */
  async run(forward: (slot: number, bytes: Uint8Array) => Uint8Array | undefined = (_, b) => b): Promise<void> {
    for (let turn = 0; turn < 8; turn++) {
      for (const put of [newcomerPut(this.newcomer), holderPut(this.holder)]) {
        if (put === undefined || this.slots.has(put.slot)) continue
        const passed = forward(put.slot, put.bytes)
        if (passed !== undefined) this.slots.set(put.slot, passed)
      }
      await this.#read(newcomerAwaits(this.newcomer), (event) => this.tellNewcomer(event))
      await this.#read(holderAwaits(this.holder), (event) => this.tellHolder(event))
    }
  }

  digits(): (string | undefined)[] {
    return [this.newcomer, this.holder].map((side) => (side.at === 'comparing' ? side.session.digits : undefined))
  }

  async #read(
    slot: number | undefined,
    tell: (event: { type: 'received'; slot: number; bytes: Uint8Array }) => Promise<void>,
  ): Promise<void> {
    const bytes = slot === undefined ? undefined : this.slots.get(slot)
    if (slot !== undefined && bytes !== undefined) await tell({ type: 'received', slot, bytes })
  }
}
