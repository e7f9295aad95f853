import type { EngineHands } from '../requests.ts'

export type Hands = Pick<EngineHands, 'turn'>

/** Held, for a moment, by whoever may make a channel or a contact that somebody else is about to make. */
export const ARRIVALS = 'arrivals'

/**
 * One task in the turns of all of these. Turns are taken in one order everywhere: 'log', then 'realm', then 'arrivals', then
 * channels by their ids; so nobody waits for somebody who waits for them. 'realm' only where it must be: it may wait for the
 * network.
 */
export function inTurns<T>(
  hands: Hands,
  channelIds: Iterable<string>,
  task: () => Promise<T>,
  withRealm = true,
): Promise<T> {
  return nested(hands, [...(withRealm ? ['realm'] : []), ARRIVALS, ...[...new Set(channelIds)].sort()], task)
}

function nested<T>(hands: Hands, [name, ...others]: readonly string[], task: () => Promise<T>): Promise<T> {
  return name === undefined ? task() : hands.turn(name, () => nested(hands, others, task))
}
