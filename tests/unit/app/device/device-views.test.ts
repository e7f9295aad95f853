import { beforeEach, describe, expect, it } from 'vitest'
import { HPKE_HANDLE, SIGNING_HANDLE } from '#app/account/device-signer.ts'
import type { Deps } from '#app/deps.ts'
import { forgetAccount } from '#app/device/forget-account.ts'
import { accountView } from '#app/face/account-view.ts'
import { deviceViews } from '#app/face/device-views.ts'
import type { AccountRecord, DeviceRecord, TableName } from '#app/ports/records.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { generateSigningKey } from '#core/crypto/sign.ts'
import { encodeCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import { versions } from '#store/schema.ts'
import { MemoryRows, makeMemoryHandles } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'
import { testAccount } from '../../core/identity/accounts.ts'

const ann = await testAccount('ann')
const listed = [await ann.device(1), await ann.device(2), await ann.device(3)]
const [first, second, third] = listed.map(({ certificate }) => certificate.deviceId) as [DeviceId, DeviceId, DeviceId]
const manifest = await signManifest({ account: ann.account, sequence: 1, devices: listed }, ann.root)
const account: AccountRecord = {
  kind: 'account',
  account: ann.account,
  name: 'Ann',
  manifest,
  sequence: 1,
  backedUp: false,
  rootSeed: new Uint8Array(32).fill(7),
}
const own = listed[0]
if (own === undefined) throw new Error('no device')
const here: DeviceRecord = {
  kind: 'device',
  deviceId: first,
  deviceName: 'laptop',
  deviceKind: 'web',
  certificate: encodeCertificate(own.certificate),
  signatureKey: own.certificate.signatureKey,
  hpkeKey: own.hpkeKey,
}
const told = (deviceId: DeviceId, name: string, linkedBy?: DeviceId) =>
  ({
    stamp: 1,
    by: deviceId,
    hash: new Uint8Array(32),
    device: { deviceId, name, device: 'extension', seenDay: 20_000, ...(linkedBy && { linkedBy }) },
  }) as const

let rows: MemoryRows
let store: PlainStore
beforeEach(async () => {
  rows = new MemoryRows()
  store = new PlainStore(rows)
  await store.create()
  await store.takeOver()
  await store.write([
    { put: 'meta', key: 'account', record: account },
    { put: 'meta', key: 'device', record: here },
    { put: 'logged', key: ['device', 'b'], record: told(second, 'tablet', first) },
  ])
})

describe('the list of devices', () => {
  it('[K-05] has those of the manifest, this one first, as each told the log of itself', async () => {
    const views = await deviceViews(store)
    expect(views.map(({ name, here: isHere }) => [name, isHere])).toEqual(
      expect.arrayContaining([
        ['laptop', true],
        ['tablet', false],
        ['', false],
      ]),
    )
    expect(views[0]).toMatchObject({ id: toBase64url(first), holdsRoot: true, linkedBy: '' })
    expect(views.find(({ name }) => name === 'tablet')).toMatchObject({
      kind: 'extension',
      holdsRoot: false,
      linkedBy: 'laptop',
      seenDay: 20_000,
    })
    expect(views.find(({ id }) => id === toBase64url(third))).toMatchObject({ holdsRoot: false })
  })

  it('[K-07] keeps one that is being revoked until all is done, and leaves out what the log alone names', async () => {
    const gone = new Uint8Array(16).fill(9) as DeviceId
    const other = new Uint8Array(16).fill(8) as DeviceId
    await store.write([
      { put: 'logged', key: ['device', 'c'], record: told(gone, 'old phone', first) },
      { put: 'logged', key: ['device', 'd'], record: told(other, 'gone long ago', first) },
      {
        put: 'tasks',
        key: toBase64url(gone),
        record: { task: 'revoke', deviceId: gone, step: 'channels', from: 1, channels: ['a', 'b'] },
      },
    ])
    const views = await deviceViews(store)
    expect(views).toHaveLength(4)
    expect(views.find(({ name }) => name === 'old phone')?.revoking).toEqual({ step: 'channels', left: 2 })
  })
})

describe('a device that is revoked', () => {
  it('[I-06] [K-07] has nothing left of its account but that it was one, and no key', async () => {
    const handles = makeMemoryHandles()
    const { privateKey } = await generateSigningKey()
    for (const name of [HPKE_HANDLE, SIGNING_HANDLE, 'mls/00/x25519', 'storage']) await handles.save(name, privateKey)
    const tables = Object.keys(Object.assign({}, ...versions)).filter((name) => !['keys', 'fence'].includes(name))
    for (const table of tables.filter((name) => name !== 'settings' && name !== 'trees')) {
      const value = new Uint8Array([0xa0]) // a record of no fields
      await rows.write([{ put: table as TableName, key: 'any', value }], undefined)
    }
    await rows.write([{ put: 'settings', key: 'settings', value: new Uint8Array([0xa0]) }], undefined)
    const deps = { store, handles, changes: { announce: () => {}, subscribe: () => () => {} } } as unknown as Deps
    await forgetAccount(deps, account)
    await forgetAccount(deps, account) // once more, as after a crash
    for (const table of tables) {
      const left = await rows.range(table as TableName, {})
      expect(left, table).toHaveLength(table === 'meta' || table === 'settings' ? 1 : 0)
    }
    expect(await handles.names()).toEqual(['storage'])
    const view = await accountView(store, true, async () => true)
    expect(view).toEqual({ state: 'revoked' })
    expect(JSON.stringify(await store.get('meta', 'account'))).not.toContain('Ann')
    expect(await store.get('meta', 'account')).not.toHaveProperty('rootSeed')
  })
})
