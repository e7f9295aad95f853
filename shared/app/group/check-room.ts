import { InputError } from '#core/errors.ts'
import { members, SUITE_XWING, type SuiteId } from '#core/mls/index.ts'
import { MAX_SEATS } from '#core/wire/limits.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Taken } from './take-for.ts'

/** In a tree where few have committed, a hybrid commit to more than this is larger than an envelope may be (GRP8). */
const MAX_HYBRID_DEVICES = 800

type Coming = readonly Pick<Taken, 'devices'>[]

export function hasRoom({ group }: Pick<Loaded, 'group'>, taken: Coming): boolean {
  return isWithin(group.suite, members(group).length, taken)
}

/** @throws InputError 'group/too-many' */
export function checkRoom({ group }: Pick<Loaded, 'group'>, taken: Coming): void {
  checkSize(group.suite, members(group).length, taken)
}

/** @throws InputError 'group/too-many' */
export function checkSize(suite: SuiteId, there: number, taken: Coming): void {
  if (!isWithin(suite, there, taken)) throw new InputError('group/too-many')
}

function isWithin(suite: SuiteId, there: number, taken: Coming): boolean {
  const most = suite === SUITE_XWING ? MAX_HYBRID_DEVICES : MAX_SEATS // CHN8
  return taken.reduce((sum, { devices }) => sum + devices.length, there) <= most
}
