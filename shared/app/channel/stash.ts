import { WireError } from '#core/errors.ts'
import type { Introduction } from '#core/message/introduction.ts'
import { openShared, type Shared } from '#core/message/stashed.ts'
import type { Deps } from '../deps.ts'
import type { PendingRecord, SyncRecord } from '../ports/records.ts'

/** Puts the pieces where newcomers will look for them, before the commit that names them; repeating it changes nothing. */
export async function putStash(deps: Deps, sync: SyncRecord, { stash }: Pick<PendingRecord, 'stash'>): Promise<void> {
  if (stash === undefined) return
  const { address, seat, token } = sync
  const name = { id: stash.id, pieces: stash.pieces.length }
  for (const [n, bytes] of stash.pieces.entries()) {
    await deps.relay.call('channel.stash', { address, seat, token, stash: name, n, bytes })
  }
}

/** The introduction with what was left for all newcomers at the relay, by the seat that it brings. @throws WireError, CryptoError */
export async function withStash(deps: Deps, introduction: Introduction): Promise<Introduction> {
  const { stash, address, seat, token } = introduction
  if (stash === undefined) return introduction
  const pieces: Uint8Array[] = []
  for (let n = 0; n < stash.pieces; n++) {
    const { bytes } = await deps.relay.call('channel.unstash', { address, seat, token, stash: stash.id, n })
    if (bytes === undefined) throw new WireError('stash/gone')
    pieces.push(bytes)
  }
  const shared: Shared = await openShared(stash, address, pieces)
  return { ...introduction, ...shared }
}
