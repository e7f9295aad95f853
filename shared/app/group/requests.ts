import { accountOf } from '../account/settle-manifest.ts'
import { putContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import { leave } from './leave.ts'

/**
 * M-11: whoever added this account is known from here on, and members are told how it calls itself. Runs in the channel's turn
 * within the turn 'realm'.
 */
export async function acceptRequest(deps: Deps, id: string): Promise<void> {
  const channel = await deps.store.get('channels', id)
  if (channel?.request === undefined) return
  const { request, ...accepted } = channel
  const { name } = await accountOf(deps)
  const draft = new Draft(deps.store)
  await putContact(deps, draft, request)
  draft.put('channels', id, accepted)
  await queueBodies(deps, draft, id, [{ kind: 'name', name }])
  await draft.commit()
}

/** Without a word to anybody: the relay alone sees that seats are gone. */
export async function declineRequest(deps: Deps, id: string): Promise<void> {
  const channel = await deps.store.get('channels', id)
  if (channel?.request === undefined) return
  await leave(deps, id, { quietly: true })
}
