import { InputError } from '#core/errors.ts'
import { members, SUITE_XWING } from '#core/mls/index.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Taken } from './take-for.ts'

/** In a tree where few have committed, a hybrid commit to more than this is larger than an envelope may be (GRP8). */
const MAX_HYBRID_DEVICES = 800

export function hasRoom({ group }: Pick<Loaded, 'group'>, taken: readonly Pick<Taken, 'devices'>[]): boolean {
  if (group.suite !== SUITE_XWING) return true
  const more = taken.reduce((sum, { devices }) => sum + devices.length, 0)
  return members(group).length + more <= MAX_HYBRID_DEVICES
}

/** @throws InputError 'group/too-many' */
export function checkRoom(loaded: Pick<Loaded, 'group'>, taken: readonly Pick<Taken, 'devices'>[]): void {
  if (!hasRoom(loaded, taken)) throw new InputError('group/too-many')
}
