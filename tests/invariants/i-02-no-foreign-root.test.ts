import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkKnown } from '#app/contact/check-known.ts'
import { findContact } from '#app/contact/find-contact.ts'
import { lookUpContacts } from '#app/contact/look-up-contacts.ts'
import { isStopped, isVerified } from '#app/contact/verified.ts'
import type { Deps } from '#app/deps.ts'
import type { ContactRecord } from '#app/ports/records.ts'
import { compareContact } from '#app/transparency/compare-contact.ts'
import { claimOf } from '#app/transparency/compare-manifest.ts'
import { readTransparency } from '#app/transparency/record.ts'
import { type Manifest, signManifest } from '#core/identity/manifest.ts'
import { mutated, RUNS } from '../support/hostile.ts'
import { MemoryRows } from '../support/memory-rows.ts'
import { Seeded } from '../support/seeded.ts'
import { PlainStore } from '../support/sim/plain-store.ts'
import { testAccount } from '../unit/core/identity/accounts.ts'

const bea = await testAccount('bea')
const eve = await testAccount('eve')
const first = await bea.device(1)
const second = await bea.device(2, 2)
const known = { account: bea.account, sequence: 3, devices: [first, second] }
const before = await signManifest(known, bea.root)

/** Everything that a directory can say of bea that is not her next manifest. */
const lies: readonly (readonly [string, string, Uint8Array])[] = [
  [
    'another root',
    'key-swap',
    await signed({ account: eve.account, sequence: 9, devices: [await eve.device(1)] }, eve),
  ],
  ['her account, signed by another root', 'key-swap', await signed({ ...known, sequence: 9 }, eve)],
  ['another root’s device', 'key-swap', await signed({ ...known, sequence: 9, devices: [await eve.device(1)] }, bea)],
  ['another manifest of the same number', 'key-swap', await signed({ ...known, devices: [first] }, bea)],
  ['an older one', 'rollback', await signed({ ...known, sequence: 2 }, bea)],
  [
    'a device that was revoked',
    'key-swap',
    await signed({ ...known, sequence: 9, devices: [first, second, await bea.device(3, 2)] }, bea),
  ],
  ['rubbish', 'key-swap', new Uint8Array(400).fill(7)],
]

async function signed(manifest: Manifest, by: { readonly root: typeof bea.root }): Promise<Uint8Array> {
  return signManifest(manifest, by.root)
}

let store: PlainStore
let deps: Deps
let shown: Uint8Array = before
const contact: ContactRecord = {
  ...{ account: bea.account, name: 'Bea', manifest: before, sequence: 3 },
  ...{ verified: { is: true, atMs: 1 }, lookUpAtMs: 0 },
}

beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([{ put: 'contacts', key: 'k', record: contact }])
  deps = {
    store,
    dice: new Seeded(1).dice,
    clock: { now: () => 1, after: () => () => {} },
    changes: { announce: () => {}, subscribe: () => () => {} },
    relay: { call: async () => ({ manifest: shown }) },
  } as unknown as Deps
})

async function expectRefused(kind: string): Promise<void> {
  const now = (await findContact(store, bea.account))?.record
  expect(now?.manifest).toEqual(before)
  expect(now?.sequence).toBe(3)
  expect(now !== undefined && isVerified(now)).toBe(true)
  expect(await store.list('contacts')).toHaveLength(1)
  const { alarms } = await readTransparency(store)
  expect(alarms.map((alarm) => alarm.kind)).toEqual([kind])
  expect(isStopped(contact, alarms)).toBe(true)
}

describe('[I-02] a foreign root never replaces a verified contact', () => {
  it.each(lies)('[K-12] a directory that gives %s is refused, and the person is told: %s', async (_name, kind, lie) => {
    shown = lie
    expect(await lookUpContacts(deps)).toBe(false)
    await expectRefused(kind)
  })

  it.each(lies)('[K-13] and so when a message made this device ask: %s', async (_name, kind, lie) => {
    shown = lie
    const { found, isNews } = await compareContact(deps, 'k', contact, { ...claimOf(contact), sequence: 4 })
    expect(found.map((one) => one.kind)).toEqual([kind])
    expect(isNews).toBe(false)
    expect((await findContact(store, bea.account))?.record.manifest).toEqual(before)
  })

  it('[K-12] nor do any bytes near hers', async () => {
    const next = await signed({ ...known, sequence: 4 }, bea)
    await fc.assert(
      fc.asyncProperty(mutated(next), async (bytes) => {
        shown = bytes
        await store.write([{ put: 'contacts', key: 'k', record: contact }])
        await lookUpContacts(deps)
        const now = (await findContact(store, bea.account))?.record.manifest
        expect([before, next].some((one) => now !== undefined && Buffer.compare(one, now) === 0)).toBe(true)
      }),
      { ...RUNS, numRuns: 150 },
    )
  })

  it('[K-12] who introduces themselves anew with another manifest of one number is refused, and the person is told', async () => {
    const other = await signed({ ...known, devices: [first] }, bea)
    await expect(checkKnown(deps, contact, other)).rejects.toMatchObject({ code: 'manifest/equivocation' })
    await expectRefused('key-swap')
  })

  it('[K-05] her own next manifest is taken, and she stays verified', async () => {
    shown = await signed({ ...known, sequence: 4, devices: [first] }, bea)
    expect(await lookUpContacts(deps)).toBe(true)
    const now = (await findContact(store, bea.account))?.record
    expect(now).toMatchObject({ sequence: 4, verified: { is: true } })
    expect((await readTransparency(store)).alarms).toEqual([])
  })
})
