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

/** What came of it: channels that have something new, and whether the account has a device that was not known here. */
export type Synced = { readonly channels: ReadonlySet<string>; readonly newDevice: boolean }

/** Others' appends that may come first before this device waits for a moment. */
const MAX_ROUNDS = 8

/**
 * Brings this device and the account's log together (L-01): notes what changed, with or without a connection; takes what
 * others told; appends what waits. Runs in the turn 'log'.
 */
export async function syncLog(deps: Deps, hands: Hands, reasons: LogReasons): Promise<Synced> {
  const channels = new Set<string>()
  let newDevice = false
  let own = await readOwnLog(deps)
  if (own === undefined) return { channels, newDevice }
  if (reasons.books) own = await noteBooks(deps, own)
  if (!reasons.online || !own.isOpen) return { channels, newDevice }
  own = await watchLog(deps, own.record.begun ? own : await beginHistory(deps, own))
  let { pull } = reasons
  for (let round = 0; round < MAX_ROUNDS; round++) {
    try {
      if (pull) {
        const pulled = await pullLog(deps, hands, own)
        own = pulled.own
        newDevice ||= pulled.newDevice
        for (const id of pulled.channels) channels.add(id)
      }
      const pushed = await pushLog(deps, hands, own)
      own = pushed.own
      if (!pushed.more) {
        await compactLog(deps, own)
        return { channels, newDevice }
      }
      pull = false
    } catch (error) {
      if (isOtherStory(error, own)) own = await rewindLog(deps, own)
      else if (!isBehind(error)) throw error
      pull = true
    }
  }
  throw new StateError('log/contended')
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
