import { equalBytes } from '#core/bytes/equal.ts'
import { encodeBody } from '#core/message/body.ts'
import { sealOuter } from '#core/message/outer.ts'
import { changeContext, toExtension } from '#core/mls/channel-context.ts'
import { type Group, members, ownMember, sealMessage } from '#core/mls/index.ts'
import { type Head, MESSAGE_ID_BYTES, type MessageId, POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { remove } from '../../unit/core/mls/forge.ts'
import { envelopeTo } from '../relay/person.ts'
import { commitForged, groupOf } from './forged-commit.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

const NO_SEATS = { add: [], remove: [] }

/** What a member who follows no rules may try. Each may fail at the relay: then nothing came of it. */
export const ATTEMPTS = ['rubbish', 'rise', 'rename', 'remove', 'seats', 'head'] as const
export type Attempt = (typeof ATTEMPTS)[number]

export async function attempt(world: World, device: SimDevice, id: string, what: Attempt): Promise<void> {
  try {
    await perform(world, device, id, what)
  } catch {
    // Not in, behind, or refused: this time.
  }
}

async function perform(world: World, device: SimDevice, id: string, what: Attempt): Promise<void> {
  switch (what) {
    case 'rubbish':
    case 'seats':
      return bringRubbish(world, device, id, what)
    case 'head':
      return sayFalseHead(world, device, id)
    case 'rise':
      return commitForged(world, device, id, (group) => {
        const roles = [{ account: ownMember(group).account, role: 'owner' as const }]
        return { roles, proposals: [contextOf(group, { roles })] }
      })
    case 'rename':
      return commitForged(world, device, id, (group) => ({
        proposals: [contextOf(group, { profile: { title: 'Mine' } })],
      }))
    case 'remove':
      return commitForged(world, device, id, (group) => {
        const own = ownMember(group).account
        const other = members(group).find(({ account }) => !equalBytes(account, own))
        return { proposals: [remove(other?.leaf ?? -1)] }
      })
  }
}

function contextOf(group: Group, change: Parameters<typeof changeContext>[1]) {
  const extensions = [toExtension(changeContext(group.context, change))]
  return { proposalType: 'group_context_extensions' as const, groupContextExtensions: { extensions } }
}

/** A commit that opens for nobody; with `seats`, one that takes somebody's seat along. */
async function bringRubbish(world: World, device: SimDevice, id: string, what: 'rubbish' | 'seats'): Promise<void> {
  const sync = await device.store().get('syncs', id)
  if (sync === undefined) return
  const victim = sync.seats.find(({ seat }) => !equalBytes(seat, sync.seat))
  const seats = what === 'seats' && victim !== undefined ? { add: [], remove: [victim.seat] } : NO_SEATS
  const { address, seat, token, cursor, head, lastCommit } = sync
  await world.relay
    .connect(() => {})
    .call('channel.commit', {
      ...{ address, seat, token, known: { position: cursor, head } },
      ...{ id: world.random.dice(POST_ID_BYTES) as PostId, after: lastCommit },
      ...{ envelope: envelopeTo(address), seats, welcomes: [] },
    })
}

/** A message that claims to have seen what nobody has. */
async function sayFalseHead(world: World, device: SimDevice, id: string): Promise<void> {
  const sync = await device.store().get('syncs', id)
  const outer = sync?.keys.at(-1)
  if (sync === undefined || outer === undefined) return
  const { address, seat, token, cursor, head } = sync
  const seen = { position: cursor, head: world.random.dice(32) as Head }
  const messageId = world.random.dice(MESSAGE_ID_BYTES) as MessageId
  const body = encodeBody({
    v: 1,
    id: messageId,
    atMs: world.timeline.nowMs,
    seen,
    kind: 'text',
    text: `I saw it otherwise, at ${cursor}`,
  })
  const { message } = await sealMessage(await groupOf(device, id), body, new Uint8Array(), world.random.dice)
  const envelope = await sealOuter(outer.key, address, message)
  const post = { id: world.random.dice(POST_ID_BYTES) as PostId, commits: outer.commits, envelope }
  await world.relay
    .connect(() => {})
    .call('channel.post', { address, seat, token, known: { position: cursor, head }, posts: [post] })
}
