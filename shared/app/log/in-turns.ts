import type { EngineHands } from '../requests.ts'

export type Hands = Pick<EngineHands, 'turn'>

/**
 * One task in the turns of all of these. Turns are taken in one order everywhere: 'log', then 'realm', then channels by
 * their ids; so nobody waits for somebody who waits for them.
 */
export function inTurns<T>(hands: Hands, channelIds: Iterable<string>, task: () => Promise<T>): Promise<T> {
  return nested(hands, ['realm', ...[...new Set(channelIds)].sort()], task)
}

function nested<T>(hands: Hands, [name, ...others]: readonly string[], task: () => Promise<T>): Promise<T> {
  return name === undefined ? task() : hands.turn(name, () => nested(hands, others, task))
}
