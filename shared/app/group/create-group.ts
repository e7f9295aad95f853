import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { MAX_TITLE_UNITS, SUITE_CLASSICAL, SUITE_XWING, type SuiteId } from '#core/mls/index.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { makeChannel, newChannelId } from '../channel/make-channel.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { newName } from '../join/new-name.ts'
import type { NamedRecord } from '../ports/join-records.ts'
import type { ContactRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { laterOf } from './add-later.ts'
import { checkSize } from './check-room.ts'
import { chosenOf, type TakenFor, takeFor, wantPeople } from './take-for.ts'
import { waitedFor } from './waited-for.ts'

/** Above this a group's keys are classical: hybrid ones would cost each commit too much (docs/spec/groups.md, GRP8). */
const MAX_HYBRID_DEVICES = 250

/**
 * A group with these people in it from the start (C-01): whoever can be added comes in by its first commit, all in one.
 * `missing`: who could not, and is asked for again.
 */
export async function createGroup(deps: Deps, turn: EngineHands['turn'], input: GroupInput): Promise<Created> {
  const { title, members, large = false, isSpace, id = newChannelId(deps), name: named } = input
  const name = titleOf(title)
  const before = await madeBefore(deps, id)
  if (before !== undefined) return before
  const place = named === undefined ? undefined : await newName(deps, named)
  const people = await chosenOf(deps, members)
  const suite = large ? SUITE_CLASSICAL : await suiteFor(deps, people)
  const found = await takeFor(deps, turn, people, suite)
  checkSize(suite, 1, found.taken)
  await turn(id, () => makeGroup(deps, { id, title: name, suite, found, isSpace, named: place }))
  return (await madeBefore(deps, id)) ?? { channelId: id, missing: [] }
}

export type Created = { readonly channelId: string; readonly missing: readonly string[] }
type GroupInput = {
  readonly title: string
  readonly members: readonly string[]
  readonly isSpace?: true // the home of a space that has no other channels yet (C-10)
  readonly large?: boolean | undefined // made for more devices than hybrid keys are for
  readonly name?: string | undefined // by which it can be found (C-09)
  readonly id?: string | undefined // by whoever asks, so that asking again makes no second one
}

async function madeBefore({ store }: Deps, id: string): Promise<Created | undefined> {
  const [channel, sync] = await Promise.all([store.get('channels', id), store.get('syncs', id)])
  if (channel === undefined) return undefined
  return { channelId: id, missing: sync === undefined ? [] : waitedFor(sync) }
}

/** By the devices that it begins with. */
async function suiteFor(deps: Deps, people: readonly ContactRecord[]): Promise<SuiteId> {
  const own = await readAccount(deps.store)
  let devices = 0
  for (const { manifest } of own === undefined ? people : [own, ...people]) {
    devices += (await checkManifest(manifest)).devices.length
    if (devices > MAX_HYBRID_DEVICES) return SUITE_CLASSICAL
  }
  return SUITE_XWING
}

/** @throws InputError 'group/title' */
export function titleOf(title: string): string {
  const name = title.trim()
  if (name === '' || name.length > MAX_TITLE_UNITS) throw new InputError('group/title')
  return name
}

type NewGroup = {
  readonly id: string
  readonly title: string
  readonly suite: SuiteId
  readonly found: TakenFor
  readonly named?: NamedRecord | undefined
  readonly isSpace: true | undefined
}

async function makeGroup(deps: Deps, { id, title, suite, found, isSpace, named }: NewGroup): Promise<void> {
  if ((await deps.store.get('channels', id)) !== undefined) return
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted') // nobody would take it for the account's (K-05)
  const draft = new Draft(deps.store)
  const wanted = wantPeople(draft, found.taken, () => toBase64url(deps.dice(9)))
  const later = laterOf(deps, found.missing)
  const owners = [account.account]
  const space = isSpace && { space: { is: 'home', channels: [] } as const }
  await makeChannel(deps, draft, account, device, {
    id,
    kind: 'group',
    suite,
    title,
    owners,
    wanted,
    later,
    ...space,
    ...(named && { named }),
  })
  await draft.commit()
}
