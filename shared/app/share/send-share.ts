import { AEAD_KEY_BYTES } from '#core/crypto/aead.ts'
import { packShared, type SharePlace, sealSharedPiece, sealShareKey } from '#core/log/shared-history.ts'
import { placeOf } from '#core/message/roster.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { OutgoingShare } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import { earlierLines } from './earlier-lines.ts'
import { failShare, type ShareHands, stepShare } from './keep-share.ts'
import { channelIn } from './share-keys.ts'

const STASH_ID_BYTES = 16

/**
 * Carries out what the person has shared (SHR3): packs, leaves the pieces at the relay, and only then says so in the channel. Cut off
 * in between it begins anew with another key; pieces that no message named go after a day.
 */
export async function sendShare(deps: Deps, hands: ShareHands, key: RowKey, share: OutgoingShare): Promise<void> {
  const channelId = channelIn(key)
  const { to, since, fromMs } = share
  const before = await deps.store.get('syncs', channelId)
  if (before === undefined || placeOf(before, to)?.since !== since) return failShare(deps, hands, key, 'history/left')
  const { packed, count } = await packShared(earlierLines(deps.store, channelId, { since, fromMs }))
  if (count === 0) return failShare(deps, hands, key, 'history/nothing')
  const place: SharePlace = { address: before.address, to, stash: deps.dice(STASH_ID_BYTES) }
  const secret = deps.dice(AEAD_KEY_BYTES)
  const stash = { id: place.stash, pieces: packed.length }
  for (const [n, bytes] of packed.entries()) {
    const sealed = await sealSharedPiece(secret, place, { n, of: packed.length }, bytes, deps.dice)
    const now = await deps.store.get('syncs', channelId)
    if (now === undefined) return failShare(deps, hands, key, 'history/left')
    const { address, seat, token } = now
    await deps.relay.call('channel.stash', { address, seat, token, stash, n, bytes: sealed })
    const done = Math.floor((count * (n + 1)) / packed.length)
    const going = await stepShare<OutgoingShare>(deps, hands, key, async (_draft, record) => ({ ...record, done }))
    if (going === undefined) return
  }
  const said = await stepShare<OutgoingShare>(deps, hands, key, async (draft, record) => {
    const sync = await draft.get('syncs', channelId)
    const member = sync && placeOf(sync, to)
    if (member?.since !== since) return { ...record, failed: 'history/left' }
    if (member.hpkeKey === undefined) return { ...record, failed: 'history/no-key' }
    const box = await sealShareKey(member.hpkeKey, place, secret, deps.dice)
    const [id, atMs] = [deps.dice(MESSAGE_ID_BYTES) as MessageId, deps.clock.now()]
    const body = { kind: 'history', id, to, box, stash, count, upTo: since - 1 } as const
    const named = { stash, to, since, fromMs, count, messageId: id, atMs }
    await queueBodies(deps, draft, channelId, [body], { shared: named })
    return undefined
  })
  secret.fill(0)
  if (said === undefined) hands.kick(channelId)
}
