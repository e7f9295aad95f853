import { describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { type Asked, openJoinRequest, sealJoinRequest } from '#core/message/join-request.ts'
import { joinKeyPair, makeNameKeys, openNameKeys, sealNameKeys } from '#core/message/name-keys.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { AccountId, Address, DeviceId } from '#core/wire/ids.ts'
import { Seeded } from '../../../support/seeded.ts'
import { x25519Pair } from '../../../support/x25519-pair.ts'

const { dice } = new Seeded(61)
const address = dice(32) as Address
const place = () => ({ address, id: dice(16) })

async function asker() {
  const [root, deviceKey] = [await signingKeyFromSeed(dice(32)), await signingKeyFromSeed(dice(32))]
  const account = root.publicKey as AccountId
  const device = dice(16) as DeviceId
  const certified = { account, deviceId: device, signatureKey: deviceKey.publicKey, sequence: 1 }
  const devices = [{ certificate: await signCertificate(certified, root), hpkeKey: dice(32) }]
  const vault = { phraseDoor: dice(40), generation: 1, keyRingHash: sha256(device), hpkeKey: dice(32) }
  const manifest = await signManifest({ account, sequence: 1, devices, vault }, root)
  const asked: Asked = { name: 'Cid', manifest, device, note: 'hello', atMs: 1 }
  return { asked, deviceKey }
}

describe('a request to join', () => {
  it('[NAM5] says who asks to whoever has the join key, in a size that says little', async () => {
    const keys = makeNameKeys(dice)
    const pair = await joinKeyPair(keys)
    const { asked, deviceKey } = await asker()
    const at = place()
    const request = await sealJoinRequest(pair.publicKey, at, asked, deviceKey, dice)
    expect(isBucket(request.length)).toBe(true)
    const opened = await openJoinRequest(pair, at, request)
    expect(opened.asked).toEqual(asked)
    for (const other of [
      { pair: await x25519Pair(dice), at },
      { pair, at: place() },
      { pair, at: { ...at, address: dice(32) as Address } },
    ]) {
      await expect(openJoinRequest(other.pair, other.at, request)).rejects.toThrow()
    }
  })

  it('[NAM5] [K-05] is by a device that the account lists, and by no one who only knows the manifest', async () => {
    const pair = await joinKeyPair(makeNameKeys(dice))
    const [{ asked }, other] = [await asker(), await asker()]
    const at = place()
    const forged = await sealJoinRequest(pair.publicKey, at, asked, other.deviceKey, dice)
    await expect(openJoinRequest(pair, at, forged)).rejects.toMatchObject({ code: 'join-request/signature' })
    const foreign = { ...other.asked, manifest: asked.manifest }
    const mixed = await sealJoinRequest(pair.publicKey, at, foreign, other.deviceKey, dice)
    await expect(openJoinRequest(pair, at, mixed)).rejects.toMatchObject({ code: 'join-request/signature' })
  })
})

describe('the keys of a name', () => {
  it('[NAM6] come to the account that they are sealed for, in the channel that they are of', async () => {
    const [keys, pair] = [makeNameKeys(dice), await x25519Pair(dice)]
    const account = dice(32) as AccountId
    const box = await sealNameKeys(pair.publicKey, { address, account }, keys)
    expect(await openNameKeys(pair, { address, account }, box)).toEqual(keys)
    for (const wrong of [
      { address, account: dice(32) as AccountId },
      { address: dice(32) as Address, account },
    ]) {
      await expect(openNameKeys(pair, wrong, box)).rejects.toThrow()
    }
    await expect(openNameKeys(pair, { address, account }, box.subarray(1))).rejects.toMatchObject({
      code: 'keeper/length',
    })
  })
})
