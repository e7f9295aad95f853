import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, WireError } from '#core/errors.ts'
import { checkProfileChange, members, type ProfileChange, type Role, rolesOf, type SuiteId } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { roleIn } from '../channel/follow-group.ts'
import { type Loaded, loadChannel } from '../channel/loaded.ts'
import { sameWanted } from '../channel/wanted.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { Wanted } from '../ports/records.ts'
import { homeIdOf } from '../space/agreement.ts'
import { laterOf } from './add-later.ts'
import { checkRoom } from './check-room.ts'
import { titleOf } from './create-group.ts'
import { type TakenFor, wantPeople } from './take-for.ts'

/** Each runs in the channel's turn. What is wanted is in the next commit, whosever comes first in between (C-03). */
export async function checkMayAdd(deps: Deps, id: string): Promise<Loaded> {
  const { loaded, role } = await ownPlace(deps, id)
  if (role === 'member' || loaded.channel.kind !== 'group') throw new InputError('group/not-allowed')
  if ((await homeIdOf(deps.store, id)) !== undefined) throw new InputError('space/members') // SPC7
  return loaded
}

/** Those of these people who are not in it, and the suite that their key packages have to be of. */
export async function absentOf(
  deps: Deps,
  id: string,
  ids: readonly string[],
): Promise<{ readonly absent: readonly string[]; readonly suite: SuiteId }> {
  const { group } = await checkMayAdd(deps, id)
  const present = new Set(members(group).map(({ account }) => toBase64url(account)))
  return { absent: ids.filter((one) => !present.has(one)), suite: group.suite }
}

export async function addPeople(deps: Deps, id: string, { taken, missing }: TakenFor): Promise<void> {
  const loaded = await checkMayAdd(deps, id)
  checkRoom(loaded, taken)
  const draft = new Draft(deps.store)
  const later = laterOf(deps, missing, loaded.sync.later)
  want(
    draft,
    later.length === 0 ? loaded : { ...loaded, sync: { ...loaded.sync, later } },
    wantPeople(draft, taken, () => toBase64url(deps.dice(KEY_BYTES))),
  )
  await draft.commit()
}

const KEY_BYTES = 9

export async function removePerson(deps: Deps, id: string, person: string): Promise<void> {
  const { loaded, role } = await ownPlace(deps, id)
  const account = personIn(loaded, person)
  const mayRemove = role === 'owner' || (role === 'admin' && roleIn(loaded.group, account) === 'member')
  const isOwn = equalBytes(account, (await accountOf(deps)).account)
  if (!mayRemove || isOwn || loaded.channel.kind !== 'group') throw new InputError('group/not-allowed')
  await put(deps, loaded, [{ want: 'exclude', account, notBeforeMs: 0 }])
}

/** @throws InputError 'channel/last-owner' */
export async function setRole(deps: Deps, id: string, person: string, to: Role): Promise<void> {
  const { loaded, role } = await ownPlace(deps, id)
  if (role !== 'owner' || loaded.channel.kind !== 'group') throw new InputError('group/not-allowed')
  const account = personIn(loaded, person)
  const owners = rolesOf(loaded.group).filter((one) => one.role === 'owner')
  const isLast = owners.every((one) => equalBytes(one.account, account))
  if (isLast && to !== 'owner') throw new InputError('channel/last-owner')
  const others = loaded.sync.wanted.filter((one) => !(one.want === 'role' && equalBytes(one.account, account)))
  await put(deps, { ...loaded, sync: { ...loaded.sync, wanted: others } }, [{ want: 'role', account, role: to }])
}

/** @throws InputError 'group/title', 'group/topic', 'group/avatar', 'group/timer' */
export async function setProfile(deps: Deps, id: string, change: ProfileChange): Promise<void> {
  const { loaded, role } = await ownPlace(deps, id)
  const isTimerAlone = Object.keys(change).every((field) => field === 'timerMs')
  const may = loaded.channel.kind === 'group' ? role !== 'member' : isTimerAlone
  if (!may) throw new InputError('group/not-allowed')
  const checked = change.title === undefined ? change : { ...change, title: titleOf(change.title) }
  if (Object.keys(checked).length === 0) return
  try {
    checkProfileChange(checked)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new InputError(fieldOf(checked, error), {}, { cause: error })
  }
  await put(deps, loaded, [{ want: 'profile', change: checked }])
}

/** Which field it is, tried one by one. */
function fieldOf(change: ProfileChange, error: WireError): `group/${string}` {
  const { avatar, topic } = change
  const isBad = (one: ProfileChange): boolean => {
    try {
      checkProfileChange(one)
      return false
    } catch {
      return true
    }
  }
  if (avatar !== undefined && isBad({ avatar })) return 'group/avatar'
  if (topic !== undefined && isBad({ topic })) return 'group/topic'
  return error.code === 'profile/timer' ? 'group/timer' : 'group/title'
}

/** C-08: new keys for this device, with the next commit. */
export async function wantHeal(deps: Deps, id: string): Promise<void> {
  const sync = await deps.store.get('syncs', id)
  if (sync === undefined || sync.wanted.some(({ want: what }) => what === 'heal')) return
  const wanted = [...sync.wanted, { want: 'heal', notBeforeMs: deps.clock.now() } as const]
  await deps.store.write([{ put: 'syncs', key: id, record: { ...sync, wanted } }])
}

type OwnPlace = { readonly loaded: Loaded; readonly role: Role }

/** @throws InputError 'channel/unknown' for a channel that this device is not in now */
async function ownPlace(deps: Deps, id: string): Promise<OwnPlace> {
  const loaded = await loadChannel(deps, id)
  if (loaded === undefined || loaded.channel.left !== undefined || loaded.channel.leaving)
    throw new InputError('channel/unknown')
  if (loaded.channel.request !== undefined) throw new InputError('group/not-allowed')
  const { account } = await accountOf(deps)
  return { loaded, role: roleIn(loaded.group, account) }
}

/** @throws InputError 'group/unknown' */
function personIn({ group }: Loaded, person: string): AccountId {
  const member = members(group).find(({ account }) => toBase64url(account) === person)
  if (member === undefined) throw new InputError('group/unknown')
  return member.account
}

async function put(deps: Deps, loaded: Loaded, more: readonly Wanted[]): Promise<void> {
  const draft = new Draft(deps.store)
  want(draft, loaded, more)
  await draft.commit()
}

function want(draft: Draft, { id, sync }: Loaded, more: readonly Wanted[]): void {
  const fresh = more.filter((one) => !sync.wanted.some((other) => sameWanted(one, other)))
  draft.put('syncs', id, { ...sync, wanted: [...sync.wanted, ...fresh] })
}
