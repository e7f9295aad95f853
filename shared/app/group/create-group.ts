import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { MAX_TITLE_UNITS } from '#core/mls/index.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { makeChannel, newChannelId } from '../channel/make-channel.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { type Taken, takeFor, wantPeople } from './take-for.ts'

/** A group with these people in it from the start (C-01): whoever can be added comes in by its first commit, all in one. */
export async function createGroup(
  deps: Deps,
  { title, members }: { readonly title: string; readonly members: readonly string[] },
): Promise<string> {
  const name = titleOf(title)
  const taken = await takeFor(deps, members)
  return makeGroup(deps, name, taken)
}

/** @throws InputError 'group/title' */
export function titleOf(title: string): string {
  const name = title.trim()
  if (name === '' || name.length > MAX_TITLE_UNITS) throw new InputError('group/title')
  return name
}

async function makeGroup(deps: Deps, title: string, taken: readonly Taken[]): Promise<string> {
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted') // nobody would take it for the account's (K-05)
  const id = newChannelId(deps)
  const draft = new Draft(deps.store)
  const wanted = wantPeople(draft, taken, () => toBase64url(deps.dice(9)))
  await makeChannel(deps, draft, account, device, { id, kind: 'group', title, owners: [account.account], wanted })
  await draft.commit()
  return id
}
