import { wipe } from '#core/bytes/wipe.ts'
import { xWingPairFrom } from '#core/crypto/hpke-xwing.ts'
import { generateSigningKey } from '#core/crypto/sign.ts'
import { generateDhKeyPair } from '#core/crypto/x25519.ts'
import { InputError } from '#core/errors.ts'
import { encodeCertificate, signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { encodeKeyRing, makeKeyRing } from '#core/keys/key-ring.ts'
import { entropyToPhrase, phraseToSeed } from '#core/keys/phrase.ts'
import { accountKeys, logOwner } from '#core/keys/tree.ts'
import { MAX_NAME_UNITS } from '#core/message/offer.ts'
import { type AccountId, DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { HPKE_HANDLE, SIGNING_HANDLE } from './device-signer.ts'
import { vaultDoorsOf } from './key-ring.ts'
import { readAccount } from './read-account.ts'

const ENTROPY_BYTES = 32
const FIRST_SEQUENCE = 1

export type IdentityInput = {
  readonly name: string
  readonly deviceName: string
  readonly deviceKind: 'web' | 'extension'
}

/**
 * Makes an identity on this device (K-01): the words, the account's root and key ring, this device's keys and certificate,
 * and the first manifest. Nothing leaves the device. Once there is an identity, asking again changes nothing.
 */
export async function createIdentity(deps: Deps, input: IdentityInput): Promise<void> {
  const name = input.name.trim()
  if (name === '' || name.length > MAX_NAME_UNITS) throw new InputError('identity/name')
  const condition = await deps.store.condition()
  const known = condition === 'usable' ? await readAccount(deps.store) : undefined
  if (known !== undefined && !known.revoked) return
  // What was left by a first run that stopped half-way holds nothing yet; anything else is for the person to decide (U-07).
  if (condition === 'empty') await deps.store.create()
  else if (condition !== 'usable') throw new InputError('identity/blocked')
  await deps.store.takeOver()

  const entropy = deps.dice(ENTROPY_BYTES)
  const seed = await phraseToSeed(entropyToPhrase(entropy))
  const keys = await accountKeys(seed)
  wipe(seed)
  const account = keys.root.publicKey as AccountId
  const deviceId = deps.dice(DEVICE_BYTES) as DeviceId
  const [signing, hpke] = await Promise.all([generateSigningKey(), generateDhKeyPair()])
  await deps.handles.save(HPKE_HANDLE, hpke.privateKey)
  await deps.handles.save(SIGNING_HANDLE, signing.privateKey)

  const certificate = await signCertificate(
    { account, deviceId, signatureKey: signing.publicKey, sequence: FIRST_SEQUENCE },
    keys.root,
  )
  const phraseDoor = await xWingPairFrom(keys.phraseDoorSeed)
  const owner = await logOwner(keys.rootSeed)
  const ring = makeKeyRing({ account, logAddressSecret: keys.logAddressSecret, ownerKey: owner.publicKey }, deps.dice)
  const manifest = await signManifest(
    {
      account,
      sequence: FIRST_SEQUENCE,
      devices: [{ certificate, hpkeKey: hpke.publicKey }],
      vault: await vaultDoorsOf(ring, phraseDoor.publicKey),
    },
    keys.root,
  )
  wipe(phraseDoor.seed)
  await deps.store.write([
    {
      put: 'meta',
      key: 'account',
      record: {
        kind: 'account',
        account,
        name,
        manifest,
        sequence: FIRST_SEQUENCE,
        backedUp: false,
        rootSeed: keys.rootSeed,
      },
    },
    {
      put: 'meta',
      key: 'device',
      record: {
        kind: 'device',
        deviceId,
        deviceName: input.deviceName.trim(),
        deviceKind: input.deviceKind,
        certificate: encodeCertificate(certificate),
        signatureKey: signing.publicKey,
        hpkeKey: hpke.publicKey,
      },
    },
    { put: 'meta', key: 'keyRing', record: { kind: 'keyRing', bytes: encodeKeyRing(ring), vaultNumber: 0 } },
    { put: 'meta', key: 'phrase', record: { kind: 'phrase', entropy } },
  ])
}
