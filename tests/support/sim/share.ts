import {
  packShared,
  type SharedLine,
  type SharePlace,
  sealSharedPiece,
  sealShareKey,
} from '#core/log/shared-history.ts'
import { BODY_VERSION, encodeBody, type HistoryBody } from '#core/message/body.ts'
import { placeOf } from '#core/message/roster.ts'
import type { AccountId, MessageId, PostId } from '#core/wire/ids.ts'
import { groupIdOf } from './many-devices.ts'
import { invite, say } from './meet.ts'
import { identity, personIds } from './people.ts'
import type { SimDevice } from './sim-device.ts'
import { World } from './world.ts'

export type Newcomer = {
  readonly world: World
  readonly ann: SimDevice
  readonly bea: SimDevice
  readonly cid: SimDevice
  readonly channelId: string // ann's
}

/** Ann and Bea have talked in a group; Cid, whom Ann knows, comes in after that. */
export async function newcomer(seed: number, before: readonly string[]): Promise<Newcomer> {
  const world = await World.make(seed)
  const [ann, bea, cid] = [await identity(world, 'ann'), await identity(world, 'bea'), await identity(world, 'cid')]
  for (const other of [bea, cid]) {
    await world.until(ann.request('acceptInvitation', { link: await invite(world, other) }))
    await world.run(2_000)
  }
  await world.run(60_000)
  const { channelId } = await world.until(
    ann.request('createGroup', { title: 'Walks', members: await personIds([bea]) }),
  )
  await world.run(90_000)
  const ofBea = await groupIdOf(bea)
  for (const [i, text] of before.entries()) {
    await say(i % 2 === 0 ? ann : bea, i % 2 === 0 ? channelId : ofBea, text)
    await world.run(3_000)
  }
  await world.until(ann.request('addMembers', { channelId, ids: await personIds([cid]) }))
  await world.run(90_000)
  return { world, ann, bea, cid, channelId }
}

export async function accountIdOf(device: SimDevice): Promise<AccountId> {
  const account = await device.store().get('meta', 'account')
  if (account?.kind !== 'account') throw new Error(`${device.name} has no account`)
  return account.account
}

/** What is shown of what was shared: the text, and who shared it. */
export async function sharedAt(device: SimDevice): Promise<readonly string[]> {
  const lines = await device.lines(await groupIdOf(device))
  return lines.flatMap((line) =>
    line.kind === 'text' && line.sharedBy ? [`${line.text} (${line.sharedBy.name})`] : [],
  )
}

type Lie = {
  readonly to?: AccountId
  readonly lines?: readonly SharedLine[]
  readonly upTo?: number
  readonly count?: number
  readonly pieces?: (pieces: readonly Uint8Array[]) => readonly Uint8Array[]
  readonly box?: (box: Uint8Array) => Uint8Array
}

/** A member that shares what it likes: its own program sends whatever body lies in its outbox. */
export async function lie(world: World, liar: SimDevice, victim: SimDevice, what: Lie): Promise<HistoryBody> {
  const channelId = await groupIdOf(liar)
  const store = liar.store()
  const sync = await store.get('syncs', channelId)
  const to = what.to ?? (await accountIdOf(victim))
  const member = sync && placeOf(sync, await accountIdOf(victim))
  if (sync === undefined || member?.hpkeKey === undefined || member.since === undefined) throw new Error('not there')
  const { dice } = world.random
  const { lines = [] } = what
  const { packed, count } = await packShared(each(lines))
  const place: SharePlace = { address: sync.address, to, stash: dice(16) }
  const secret = dice(32)
  const sealed: Uint8Array[] = []
  for (const [n, one] of packed.entries()) {
    sealed.push(await sealSharedPiece(secret, place, { n, of: packed.length }, one, dice))
  }
  const pieces = what.pieces?.(sealed) ?? sealed
  const stash = { id: place.stash, pieces: pieces.length }
  const { address, seat, token } = sync
  const caller = world.relay.connect(() => {})
  for (const [n, bytes] of pieces.entries())
    await caller.call('channel.stash', { address, seat, token, stash, n, bytes })
  const box = await sealShareKey(member.hpkeKey, place, secret, dice)
  const body: HistoryBody = {
    ...{ v: BODY_VERSION, id: dice(16) as MessageId, atMs: world.timeline.nowMs, kind: 'history', to },
    ...{ box: what.box?.(box) ?? box, stash, count: what.count ?? count, upTo: what.upTo ?? member.since - 1 },
  }
  liar.kill()
  await store.takeOver()
  const row = { postId: dice(16) as PostId, body: encodeBody(body), attempts: 0 }
  const named = { stash, to, since: member.since, fromMs: 0, count: body.count, messageId: body.id, atMs: body.atMs }
  const record = pieces.length > 0 ? { ...row, shared: named } : row
  await store.write([{ put: 'outbox', key: [channelId, 2 ** 47], record }])
  await world.run(30_000)
  return body
}

export function lineOf(author: AccountId, order: number, text: string, id: Uint8Array): SharedLine {
  return { id: id as MessageId, author, atMs: Date.UTC(2026, 0, 1), order, text }
}

export function idOf(n: number): Uint8Array {
  const id = new Uint8Array(16).fill(7)
  new DataView(id.buffer).setUint32(0, n * 2_654_435_761)
  return id
}

/** All that the relay has on its disk of stashes. */
export function stashed(world: World): number {
  return world.relay.dump().find(({ table }) => table === 'stash')?.rows.length ?? 0
}

export async function shareRows(device: SimDevice): Promise<readonly string[]> {
  const rows = await device.store().list('shares')
  return rows.map(({ record }) => `${record.share} ${'failed' in record ? (record.failed ?? '') : ''}`.trim())
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
