import { CryptoError, RelayError, StateError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import { beginHistory } from './begin-history.ts'
import { compactLog } from './compact.ts'
import type { Hands } from './in-turns.ts'
import { noteBooks } from './note-books.ts'
import { type OwnLog, readOwnLog } from './own-log.ts'
import { pullLog } from './pull.ts'
import { pushLog } from './push.ts'
import { rewindLog } from './rewind.ts'
import { watchLog } from './watch.ts'

export type LogReasons = {
  readonly online: boolean
  readonly pull: boolean // another device may have appended
  readonly books: boolean // bookkeeping may have changed
}

/** What came of it so far, whatever stopped it: channels that have something new, and a device that was not known here. */
export type LogNews = { readonly channels: Set<string>; newDevice: boolean }

/** Others' appends that may come first before this device waits for a moment. */
const MAX_ROUNDS = 8

/**
 * Brings this device and the account's log together (L-01): notes what changed, with or without a connection; takes what
 * others told; appends what waits. Runs in the turn 'log'.
 */
export async function syncLog(deps: Deps, hands: Hands, reasons: LogReasons, news: LogNews): Promise<void> {
  let own = await readOwnLog(deps)
  if (own === undefined) return
  if (reasons.books) own = await noteBooks(deps, own)
  if (!reasons.online || !own.isOpen) return
  own = await watchLog(deps, own.record.begun ? own : await beginHistory(deps, own))
  let { pull } = reasons
  for (let round = 0; round < MAX_ROUNDS; round++) {
    try {
      if (pull) own = await pullLog(deps, hands, own, news)
      const pushed = await pushLog(deps, hands, own)
      own = pushed.own
      if (!pushed.more) {
        await compactLog(deps, own)
        return
      }
      pull = false
    } catch (error) {
      own = await afterRefusal(deps, (await readOwnLog(deps)) ?? own, error)
      pull = true
    }
  }
  throw new StateError('log/contended')
}

/** @throws what pulling again does not help against */
async function afterRefusal(deps: Deps, own: OwnLog, error: unknown): Promise<OwnLog> {
  if (isOtherStory(error, own)) return rewindLog(deps, own)
  if (isBehind(error)) return own
  if (isFull(error)) await compactLog(deps, own, 0) // that makes room; what waits is tried again later
  throw error
}

function isFull(error: unknown): boolean {
  return error instanceof RelayError && error.code === 'quota/log'
}

function isBehind(error: unknown): boolean {
  return error instanceof RelayError && error.code === 'log/behind'
}

/** The relay ends before what this device has seen, or not where that leads. */
function isOtherStory(error: unknown, { record }: OwnLog): boolean {
  if (error instanceof CryptoError) return error.code === 'log/chain'
  if (!(error instanceof RelayError)) return false
  return error.code === 'log/forked' || (isBehind(error) && Number(error.detail.position) < record.position)
}
