import { beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '#app/deps.ts'
import type { ContactRecord } from '#app/ports/records.ts'
import { compareContact } from '#app/transparency/compare-contact.ts'
import { claimOf } from '#app/transparency/compare-manifest.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'
import { testAccount } from '../../core/identity/accounts.ts'

const bea = await testAccount('bea')
const device = await bea.device(1)
const manifestOf = async (sequence: number, devices = [device]) => {
  const { account, root } = bea
  return { sequence, manifest: await signManifest({ account, sequence, devices }, root) }
}
const [first, second, third] = [await manifestOf(1), await manifestOf(2), await manifestOf(3)]
const otherSecond = await manifestOf(2, [])
const contact: ContactRecord = { account: bea.account, name: 'Bea', ...first }

let store: PlainStore
let asked = 0
beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([{ put: 'contacts', key: 'k', record: contact }])
  asked = 0
})

async function hears(said: typeof first, directory: typeof first | undefined) {
  const call = async () => {
    asked++
    return { manifest: directory?.manifest }
  }
  const { found, isNews } = await compareContact(
    { store, relay: { call } } as unknown as Deps,
    'k',
    contact,
    claimOf(said),
  )
  const known = await store.get('contacts', 'k')
  return { kinds: found.map(({ kind }) => kind), isNews, sequence: known?.sequence }
}

describe('what a contact says of their own manifest', () => {
  it('[TRC4] asks nothing while it is what is known, or older', async () => {
    expect(await hears(first, undefined)).toEqual({ kinds: [], isNews: false, sequence: 1 })
    expect(await hears({ ...first, sequence: 0 }, undefined)).toMatchObject({ kinds: [] })
    expect(asked).toBe(0)
  })

  it('[TRC4] that is newer is in the directory, and taken from there', async () => {
    expect(await hears(second, second)).toEqual({ kinds: [], isNews: true, sequence: 2 })
    await store.write([{ put: 'contacts', key: 'k', record: contact }])
    expect(await hears(second, third)).toEqual({ kinds: [], isNews: true, sequence: 3 })
  })

  it.each([
    ['nothing', undefined],
    ['what was known', first],
  ])('[TRC4] that the directory does not have is withheld: it has %s', async (_what, directory) => {
    expect(await hears(second, directory)).toEqual({ kinds: ['withheld'], isNews: false, sequence: 1 })
  })

  it('[TRC4] that the directory has only in part is withheld, and what it has is taken', async () => {
    expect(await hears(third, second)).toEqual({ kinds: ['withheld'], isNews: true, sequence: 2 })
  })

  it('[TRC4] of which the directory has another one of that number is a swap', async () => {
    expect(await hears(second, otherSecond)).toMatchObject({ kinds: ['key-swap'], isNews: true })
    expect(await hears({ ...first, manifest: second.manifest }, first)).toMatchObject({ kinds: ['key-swap'] })
  })
})
