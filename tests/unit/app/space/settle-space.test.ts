import { beforeEach, describe, expect, it } from 'vitest'
import { createIdentity } from '#app/account/create-identity.ts'
import { deviceSigner } from '#app/account/device-signer.ts'
import { readAccount, readDevice } from '#app/account/read-account.ts'
import type { Deps } from '#app/deps.ts'
import type { ChannelRecord, SyncRecord, Wanted } from '#app/ports/records.ts'
import type { Relay } from '#app/ports/relay.ts'
import { bringPeople } from '#app/space/bring-people.ts'
import { type SpaceHands, settleSpace } from '#app/space/settle-space.ts'
import { want } from '#app/space/want.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import { decodeCertificate } from '#core/identity/certificate.ts'
import { DEFAULT_SUITE, makeKeyPackage } from '#core/mls/index.ts'
import type { AccountId, Address, DeviceId } from '#core/wire/ids.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import { MemoryRows, makeMemoryHandles } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const NOW = Date.UTC(2026, 0, 1)
const id = (fill: number) => new Uint8Array(32).fill(fill)
const [HOME, ONE, TWO] = [id(1), id(2), id(3)] as unknown as [Address, Address, Address]
const [DAN, EVE] = [id(100), id(101)] as unknown as [AccountId, AccountId]

/** Somebody whom the realm knows, with one key package. */
type Person = {
  readonly account: AccountId
  readonly manifest: Uint8Array
  readonly devices: readonly { readonly device: DeviceId; readonly keyPackage: Uint8Array; readonly drop: Uint8Array }[]
}

async function makeDevice(seed: number): Promise<Deps> {
  const store = new PlainStore(new MemoryRows())
  const clock = { now: () => NOW, after: () => () => {} }
  const changes = { announce: () => {} }
  const deps = { store, handles: makeMemoryHandles(), dice: new Seeded(seed).dice, clock, changes } as unknown as Deps
  await createIdentity(deps, { name: 'somebody', deviceName: 'laptop', deviceKind: 'web' })
  return deps
}

async function makePerson(seed: number): Promise<Person> {
  const deps = await makeDevice(seed)
  const [own, record] = [await readAccount(deps.store), await readDevice(deps.store)]
  if (own === undefined || record === undefined) throw new Error('unreachable')
  const { certificate } = record
  const signer = await deviceSigner(deps.handles, record)
  const about = { suite: DEFAULT_SUITE, signer, certificate, nowMs: NOW, lifetimeMs: 86_400_000 }
  const { keyPackage } = await makeKeyPackage(about, deps.dice)
  const device = decodeCertificate(certificate).deviceId
  return { account: own.account, manifest: own.manifest, devices: [{ device, keyPackage, drop: new Uint8Array(32) }] }
}

describe('[C-10] a space held against its home', () => {
  let deps: Deps
  let own: AccountId
  let fay: Person
  let kicked: string[]
  let hands: SpaceHands

  /** A relay at which only Fay can be found; of Eve it has nothing to say. */
  const relay = (meanwhile = async (): Promise<void> => {}): Relay => {
    const call = async (operation: OperationName, args: unknown): Promise<object> => {
      const { account } = args as ArgsOf<'account.get'>
      if (!equalBytes(account, fay.account)) throw new RelayError('relay/busy', { retryable: true })
      if (operation === 'account.get') return { manifest: fay.manifest }
      await meanwhile()
      return { devices: fay.devices }
    }
    return { call } as unknown as Relay
  }

  const put = async (key: string, address: Address, space: ChannelRecord['space'], people: readonly AccountId[]) => {
    const channel = {
      title: key,
      kind: 'group',
      state: 'open',
      lastText: '',
      lastAtMs: 0,
      lastState: 'none',
      theirs: 0,
    }
    const accounts = people.map((account) => ({ account, entry: id(9), sequence: 0 }))
    const roles = [{ account: own, role: 'owner' }]
    const record = { ...channel, address, space, roles, spaceSeen: true } as ChannelRecord
    const sync = { address, accounts, wanted: [] } as unknown as SyncRecord
    await deps.store.write([
      { put: 'channels', key, record },
      { put: 'syncs', key, record: sync },
    ])
  }
  const wantedAt = async (key: string): Promise<readonly Wanted[]> => (await deps.store.get('syncs', key))?.wanted ?? []
  const shown = async (key: string): Promise<readonly string[]> => (await wantedAt(key)).map((one) => one.want)
  const settle = async (by: Relay) => {
    await settleSpace(deps, hands, 'home', { acts: true })
    return bringPeople({ ...deps, relay: by }, hands, 'home')
  }
  const peopleAtHome = (people: readonly AccountId[]) => put('home', HOME, { is: 'home', channels: [ONE, TWO] }, people)

  beforeEach(async () => {
    deps = await makeDevice(1)
    own = (await readAccount(deps.store))?.account as AccountId
    fay = await makePerson(2)
    kicked = []
    hands = { turn: (_name, task) => task(), kick: (one) => void kicked.push(one), isCurrent: () => true }
    for (const [key, address] of [
      ['one', ONE],
      ['two', TWO],
    ] as const) {
      await put(key, address, { is: 'channel', home: HOME }, [own, DAN])
    }
  })

  it('[SPC8] who is to go waits for nobody who is looked up, nor for a relay that has no time for that', async () => {
    await peopleAtHome([own, EVE])
    expect(await settle(relay())).toEqual({ isLeft: true })
    for (const key of ['one', 'two']) {
      expect(await wantedAt(key), key).toMatchObject([{ want: 'exclude', account: DAN }])
      expect(kicked).toContain(key)
    }

    await peopleAtHome([own, EVE, fay.account])
    const before: (readonly string[])[] = []
    expect(await settle(relay(async () => void before.push(await shown('one'), await shown('two'))))).toEqual({
      isLeft: true,
    })
    expect(before.slice(0, 2), 'wanted before anybody was asked for').toEqual([['exclude'], ['exclude']])
    for (const key of ['one', 'two']) expect(await shown(key), key).toEqual(['exclude', 'person'])
  })

  it('[SPC4] who was removed from the home while they were looked up is not added to a channel', async () => {
    await peopleAtHome([own, DAN, fay.account])
    await settle(relay(() => peopleAtHome([own, DAN])))
    for (const key of ['one', 'two']) expect(await shown(key), key).toEqual([])
    expect(await deps.store.list('offers')).toEqual([])
  })

  it('[SPC4] whoever waits to be added and is in the home no more is wanted no more', async () => {
    await peopleAtHome([own, DAN, fay.account])
    await settle(relay())
    expect(await shown('one')).toEqual(['person'])
    await peopleAtHome([own, DAN])
    await settle(relay())
    for (const key of ['one', 'two']) expect(await shown(key), key).toEqual([])
    expect(await deps.store.list('offers'), 'nor are their key packages kept').toEqual([])
  })

  it('[SPC4] of one account it is wanted that it comes or that it goes, never both', async () => {
    await peopleAtHome([own, DAN, fay.account])
    await settle(relay())
    await want(deps, 'one', [{ want: 'exclude', account: fay.account, notBeforeMs: 0 }])
    expect(await shown('one')).toEqual(['exclude'])
    expect(await deps.store.list('offers'), 'those of the other channel').toHaveLength(1)
    await settle(relay())
    expect(await shown('one')).toEqual(['person'])
  })
})
