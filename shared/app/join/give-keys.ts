import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { MAX_KEEPERS } from '#core/message/body.ts'
import { sealNameKeys } from '#core/message/name-keys.ts'
import type { AccountPlace } from '#core/message/roster.ts'
import { rolesOf } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { roleIn } from '../channel/follow-group.ts'
import { type Loaded, loadChannel } from '../channel/loaded.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { EngineHands } from '../requests.ts'

/** Others who have the keys may say them too: not all at once. */
const WITHIN_MS = 10_000

/**
 * Gives a name's keys to those who may let people in and don't have them: as a message of the channel, in a box for each of their
 * accounts (NAM6). All keepers hear who has them then.
 * @returns when it is due, where it is not yet
 */
export async function giveKeys(
  deps: Deps,
  hands: Pick<EngineHands, 'turn' | 'kick'>,
  channelId: string,
): Promise<number | undefined> {
  if (!(await mayLack(deps, channelId))) return undefined // the conversation goes on meanwhile
  return hands.turn(channelId, async () => {
    const loaded = await loadChannel(deps, channelId)
    const named = loaded?.channel.named
    if (loaded === undefined || named?.keys === undefined || !named.proven) return undefined
    const { account } = await accountOf(deps)
    const { channel, group } = loaded
    if (channel.left !== undefined || channel.leaving || roleIn(group, account) === 'member') return undefined
    const keepers = othersWhoKeep(loaded, account)
    const given = new Set((named.given ?? []).map(toHex))
    if (keepers.every((one) => given.has(toHex(one.account)))) return undefined
    const { giveAtMs = deps.clock.now() + spread(deps, WITHIN_MS), ...kept } = named
    const draft = new Draft(deps.store)
    if (giveAtMs > deps.clock.now()) {
      if (named.giveAtMs !== undefined) return giveAtMs
      draft.put('channels', channelId, { ...channel, named: { ...named, giveAtMs } })
      await draft.commit()
      return giveAtMs
    }
    const { name, keys } = named
    const { address } = loaded.sync
    const boxes = await Promise.all(
      keepers.map(async (one) => ({
        account: one.account,
        box: await sealNameKeys(one.hpkeKey, { address, account: one.account }, keys),
      })),
    )
    await queueBodies(deps, draft, channelId, [{ kind: 'keeper', name, boxes }])
    draft.put('channels', channelId, { ...channel, named: { ...kept, given: boxes.map((box) => box.account) } })
    await draft.commit()
    hands.kick(channelId)
    return undefined
  })
}

/** Whether there is anybody to tell, by what the last commit has left. */
async function mayLack({ store }: Pick<Deps, 'store'>, channelId: string): Promise<boolean> {
  const [channel, { account }] = [await store.get('channels', channelId), await accountOf({ store })]
  if (channel?.named?.keys === undefined || !channel.named.proven) return false
  const given = new Set((channel.named.given ?? []).map(toHex))
  return (channel.roles ?? []).some((one) => !equalBytes(one.account, account) && !given.has(toHex(one.account)))
}

type Keeper = AccountPlace & { readonly hpkeKey: Uint8Array }

/** Other accounts that may let people in, and have a key to seal to. */
function othersWhoKeep({ group, sync }: Loaded, own: AccountId): readonly Keeper[] {
  const roles = new Set(rolesOf(group).map(({ account }) => toHex(account)))
  const places = sync.accounts.filter(({ account }) => roles.has(toHex(account)) && !equalBytes(account, own))
  return places
    .flatMap((place) => (place.hpkeKey === undefined ? [] : [{ ...place, hpkeKey: place.hpkeKey }]))
    .slice(0, MAX_KEEPERS)
}
