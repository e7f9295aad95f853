import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import { addressOfName, isChannelName } from '#core/identity/channel-name.ts'
import { makeNameKeys } from '#core/message/name-keys.ts'
import type { Deps } from '../deps.ts'
import type { NamedRecord } from '../ports/join-records.ts'

/**
 * A name for a group that is about to be made, with keys of its own. Whether it is free is asked before anything is made; who is faster
 * after that is the relay's to say.
 * @throws InputError 'name/form', 'name/exists'
 */
export async function newName(deps: Deps, name: string): Promise<NamedRecord> {
  if (!isChannelName(name)) throw new InputError('name/form')
  const address = addressOfName(name)
  const channels = await deps.store.list('channels')
  if (channels.some(({ record }) => record.address && equalBytes(record.address, address))) {
    throw new InputError('name/exists')
  }
  if (await isTaken(deps, name)) throw new InputError('name/exists')
  return { name, state: 'registering', keys: makeNameKeys(deps.dice) }
}

/** @throws InputError 'name/form' */
export async function isTaken({ relay }: Pick<Deps, 'relay'>, name: string): Promise<boolean> {
  if (!isChannelName(name)) throw new InputError('name/form')
  return (await relay.call('name.find', { name })).joinKey !== undefined
}
