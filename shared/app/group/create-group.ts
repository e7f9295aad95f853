import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { MAX_TITLE_UNITS } from '#core/mls/index.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { makeChannel, newChannelId } from '../channel/make-channel.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { EngineHands } from '../requests.ts'
import { type Taken, takeFor, wantPeople } from './take-for.ts'

/** A group with these people in it from the start (C-01): whoever can be added comes in by its first commit, all in one. */
export async function createGroup(deps: Deps, turn: EngineHands['turn'], input: GroupInput): Promise<string> {
  const { title, members, id = newChannelId(deps) } = input
  const name = titleOf(title)
  if ((await deps.store.get('channels', id)) !== undefined) return id
  const taken = await takeFor(deps, turn, members)
  await turn(id, () => makeGroup(deps, id, name, taken))
  return id
}

type GroupInput = {
  readonly title: string
  readonly members: readonly string[]
  readonly id?: string | undefined // by whoever asks, so that asking again makes no second one
}

/** @throws InputError 'group/title' */
export function titleOf(title: string): string {
  const name = title.trim()
  if (name === '' || name.length > MAX_TITLE_UNITS) throw new InputError('group/title')
  return name
}

async function makeGroup(deps: Deps, id: string, title: string, taken: readonly Taken[]): Promise<void> {
  if ((await deps.store.get('channels', id)) !== undefined) return
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted') // nobody would take it for the account's (K-05)
  const draft = new Draft(deps.store)
  const wanted = wantPeople(draft, taken, () => toBase64url(deps.dice(9)))
  await makeChannel(deps, draft, account, device, { id, kind: 'group', title, owners: [account.account], wanted })
  await draft.commit()
}
