import { CryptoError, WireError } from '#core/errors.ts'
import { accountHpkePair } from '#core/keys/key-ring.ts'
import { openSharedPiece, openShareKey, type SharedLine, type SharePlace } from '#core/log/shared-history.ts'
import { readKeyRing } from '../account/key-ring.ts'
import { accountOf } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import type { IncomingShare } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import { failShare, type ShareHands, stepShare } from './keep-share.ts'
import { putShared } from './put-shared.ts'
import { channelIn } from './share-keys.ts'

/**
 * Takes what somebody has shared with this account (SHR7), piece by piece, each with its effect and how far it is in one
 * transaction. What does not open or parse ends it; what came before stays, marked as theirs.
 */
export async function takeShare(deps: Deps, hands: ShareHands, key: RowKey, share: IncomingShare): Promise<void> {
  const channelId = channelIn(key)
  const { account } = await accountOf(deps)
  const sync = await deps.store.get('syncs', channelId)
  if (sync === undefined) return
  const place: SharePlace = { address: sync.address, to: account, stash: share.stash.id }
  const secret = await keyOf(deps, place, share.box)
  if (secret === undefined) return failShare(deps, hands, key, 'history/not-ours')
  let going: IncomingShare | undefined = share
  while (going !== undefined) going = await takePiece(deps, hands, key, going, { place, secret })
  hands.logNoted({})
}

/** @returns how far it is; undefined at its end, when it failed, or when the person has stopped it */
async function takePiece(
  deps: Deps,
  hands: ShareHands,
  key: RowKey,
  { stash, next: n }: IncomingShare,
  { place, secret }: { readonly place: SharePlace; readonly secret: Uint8Array },
): Promise<IncomingShare | undefined> {
  const channelId = channelIn(key)
  const sync = await deps.store.get('syncs', channelId)
  if (sync === undefined) return undefined
  const { address, seat, token } = sync
  const { bytes } = await deps.relay.call('channel.unstash', { address, seat, token, stash: stash.id, n })
  const lines = bytes && (await open(secret, place, { n, of: stash.pieces }, bytes))
  if (lines === undefined) {
    await failShare(deps, hands, key, bytes === undefined ? 'history/gone' : 'history/damaged')
    return undefined
  }
  const next = await stepShare<IncomingShare>(deps, hands, key, async (draft, { postponed: _, ...now }) => {
    const some = lines.slice(0, Math.max(0, now.count - now.taken))
    await putShared(deps, draft, channelId, now, place.to, some)
    const after = { ...now, next: n + 1, taken: now.taken + some.length }
    return after.next < stash.pieces && after.taken < now.count ? after : undefined
  })
  deps.changes.announce({ what: 'lines', channelId })
  return next
}

/** By any generation of the key ring: the channel may have known an older one. */
async function keyOf(deps: Deps, place: SharePlace, box: Uint8Array): Promise<Uint8Array | undefined> {
  for (const generation of (await readKeyRing(deps.store)).ring.generations.toReversed()) {
    try {
      return await openShareKey(await accountHpkePair(generation), place, box)
    } catch (error) {
      if (!(error instanceof CryptoError || error instanceof WireError)) throw error
    }
  }
  return undefined
}

async function open(...what: Parameters<typeof openSharedPiece>): Promise<readonly SharedLine[] | undefined> {
  try {
    return await openSharedPiece(...what)
  } catch (error) {
    if (!(error instanceof CryptoError || error instanceof WireError)) throw error
    return undefined
  }
}
