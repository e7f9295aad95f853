import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** What is tried again is looked at on a grid of minutes: once, for however often that was seen. */
const LATER_MS = 60_000

/** Runs one step of many: @returns undefined where it failed and is to be tried again, while the others go on. */
export type Apart = <T>(step: () => Promise<T>) => Promise<T | undefined>

/**
 * What fails of one channel or person is their own, and comes again. A lost connection ends all of it: the next one begins anew.
 * @param later is told when to try again
 */
export function makeApart(clock: Clock, later: (atMs: number) => void): Apart {
  return async (step) => {
    try {
      return await step()
    } catch (error) {
      if (!isOfOne(error)) throw error
      const waitMs = error instanceof RelayError ? Number(error.detail.waitMs ?? 0) : 0
      later((Math.floor((clock.now() + waitMs) / LATER_MS) + 2) * LATER_MS)
      return undefined
    }
  }
}

function isOfOne(error: unknown): boolean {
  if (error instanceof RelayError) return error.code !== 'relay/unreachable'
  return [CryptoError, StateError, WireError].some((kind) => error instanceof kind)
}
