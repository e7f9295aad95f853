import { concatBytes } from '#core/bytes/concat.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { AEAD_KEY_BYTES } from '#core/crypto/aead.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { CryptoError, RelayError } from '#core/errors.ts'
import { packShared, type SharePlace, sealSharedPiece, sealShareKey } from '#core/log/shared-history.ts'
import { type AccountPlace, placeOf } from '#core/message/roster.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { BegunStash, OutgoingShare } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import { earlierLines } from './earlier-lines.ts'
import { failShare, type ShareHands, stepShare } from './keep-share.ts'
import { channelIn } from './share-keys.ts'

const STASH_ID_BYTES = 16
/** CHN21: so long the relay keeps what no message named. */
const KEPT_MS = 24 * 60 * 60_000

/**
 * Carries out what the person has shared (SHR3): packs, leaves the pieces at the relay, and only then says so in the channel. Cut off
 * in between it goes on with the piece that it had come to.
 */
export async function sendShare(deps: Deps, hands: ShareHands, key: RowKey, share: OutgoingShare): Promise<void> {
  const channelId = channelIn(key)
  const { to, since, fromMs } = share
  const before = await deps.store.get('syncs', channelId)
  const found = before && placeOf(before, to)
  if (before === undefined || found?.since !== since) return failShare(deps, hands, key, 'history/left')
  const { packed, count } = await packShared(earlierLines(deps.store, channelId, { since, fromMs }))
  if (count === 0) return failShare(deps, hands, key, 'history/nothing')
  const begun = await begin(deps, hands, key, share, hashOf(packed))
  if (begun === undefined) return
  const { secret } = begun
  const place: SharePlace = { address: before.address, to, stash: begun.id }
  // What nobody could open is not left at the relay.
  const isKeyGood = (await boxFor(deps, found, place, secret)) !== undefined
  if (!isKeyGood) return failShare(deps, hands, key, 'history/no-key')
  const stash = { id: begun.id, pieces: packed.length }
  for (const [n, bytes] of packed.entries()) {
    if (n < begun.next) continue
    const sealed = await sealSharedPiece(secret, place, { n, of: packed.length }, bytes, deps.dice)
    const now = await deps.store.get('syncs', channelId)
    if (now === undefined) return failShare(deps, hands, key, 'history/left')
    const { address, seat, token } = now
    await leave(deps, { address, seat, token, stash, n, bytes: sealed })
    const done = Math.floor((count * (n + 1)) / packed.length)
    const going = await stepShare<OutgoingShare>(deps, hands, key, async (_draft, { postponed: _, ...record }) => ({
      ...record,
      done,
      begun: { ...begun, next: n + 1 },
    }))
    if (going === undefined) return
  }
  const said = await stepShare<OutgoingShare>(deps, hands, key, async (draft, record) => {
    const sync = await draft.get('syncs', channelId)
    const member = sync && placeOf(sync, to)
    if (member?.since !== since) return { ...record, failed: 'history/left' }
    const box = await boxFor(deps, member, place, secret)
    if (box === undefined) return { ...record, failed: 'history/no-key' }
    const [id, atMs] = [deps.dice(MESSAGE_ID_BYTES) as MessageId, deps.clock.now()]
    const body = { kind: 'history', id, to, box, stash, count, upTo: since - 1 } as const
    const anew = record.anew === undefined ? {} : { anew: record.anew }
    const named = { stash, to, since, fromMs, count, ...anew, messageId: id, atMs }
    await queueBodies(deps, draft, channelId, [body], { shared: named })
    return undefined
  })
  secret.fill(0)
  if (said === undefined) hands.kick(channelId)
}

/**
 * Where it was cut off, as long as the relay keeps what it left there and there is the same to share: other pieces are sealed with
 * another key. @returns undefined when the person has taken it back
 */
async function begin(
  deps: Deps,
  hands: ShareHands,
  key: RowKey,
  { begun: before }: OutgoingShare,
  packing: Uint8Array,
): Promise<BegunStash | undefined> {
  const atMs = deps.clock.now()
  if (before !== undefined && equalBytes(before.packing, packing) && atMs < before.atMs + KEPT_MS) return before
  const begun = { id: deps.dice(STASH_ID_BYTES), secret: deps.dice(AEAD_KEY_BYTES), packing, next: 0, atMs }
  const going = await stepShare<OutgoingShare>(deps, hands, key, async (_draft, record) => ({
    ...record,
    done: 0,
    begun,
  }))
  return going?.begun
}

/** @returns undefined where there is no key, or one that nothing can be sealed to: an account lists whichever it likes */
async function boxFor(
  { dice }: Deps,
  { hpkeKey }: AccountPlace,
  place: SharePlace,
  secret: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    return hpkeKey && (await sealShareKey(hpkeKey, place, secret, dice))
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return undefined
  }
}

function hashOf(packed: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(...packed.map((one) => sha256(one))))
}

async function leave({ relay }: Deps, piece: ArgsOf<'channel.stash'>): Promise<void> {
  try {
    await relay.call('channel.stash', piece)
  } catch (error) {
    // This device has left that piece there itself, and never heard so.
    if (!(error instanceof RelayError && error.code === 'stash/taken')) throw error
  }
}
