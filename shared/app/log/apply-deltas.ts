import { toBase64url } from '#core/bytes/base64url.ts'
import type { Dated, Delta, DeltaKind, DeltaOf } from '#core/log/delta.ts'
import { mergeAll } from '#core/log/merge.ts'
import type { Address } from '#core/wire/ids.ts'
import { newChannelId } from '../channel/make-channel.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { applyContact, applyDevice, applyProfile, applyRead, applySettings } from './apply-books.ts'
import { applyChannel, returningChannel } from './apply-channel.ts'
import { applyForget } from './apply-forget.ts'
import { applyLines, dropWaiting, knownLines } from './apply-lines.ts'
import { groupBy } from './group-by.ts'
import { type Hands, inTurns } from './in-turns.ts'
import type { OwnLog } from './own-log.ts'
import type { Applying } from './settle-book.ts'

/** So much is history, and not what was just said: little of it is here already. */
const MANY = 64

export type Applied = {
  readonly lines: number
  readonly channels: ReadonlySet<string>
  readonly newDevice: boolean // one of the account that this device has not heard of before
  readonly lastStamp: number
}
/** By address, the channel here that has it. */
type Places = Map<string, string>

/**
 * Applies what an entry says, all of it in one transaction together with what `save` puts: how far this device is. The
 * same entry again changes nothing.
 */
export async function applyDeltas(
  deps: Deps,
  hands: Hands,
  own: OwnLog,
  entry: Pick<Applying, 'position' | 'isOldPage'>,
  told: readonly Dated[],
  save: (draft: Draft, applied: Applied) => void,
): Promise<Applied> {
  const dated = [...mergeAll(told).values()] // one for each thing (MRG1)
  const channels = new Set<string>()
  for (const { delta } of dated) {
    const address = addressOf(delta)
    if (address !== undefined) channels.add(toBase64url(address))
  }
  for (;;) {
    const places = await placesOf(deps, channels)
    const draft = new Draft(deps.store)
    const lastStamp = dated.reduce((last, { delta }) => Math.max(last, delta.at), own.record.lastStamp)
    const applying: Applying = { deps, draft, own, ...entry, lastStamp }
    const untold = dated.length > MANY ? dated : await leaveKnown(applying, places, dated)
    const finish = async (lines: number, touched: Iterable<string>, newDevice = false): Promise<Applied> => {
      const applied = { lines, channels: new Set(touched), newDevice, lastStamp: applying.lastStamp }
      save(draft, applied)
      await draft.commit()
      return applied
    }
    if (untold.length === 0) return finish(0, [])
    const held = new Set(places.values())
    const apply = async (): Promise<Applied | undefined> => {
      const now = await placesOf(deps, channels)
      // Somebody has just introduced this device to one of them: its turn is needed as well.
      if ([...now.values()].some((id) => !held.has(id))) return undefined
      const { lines, newDevice } = await applyAll(applying, places, untold)
      return finish(lines, places.values(), newDevice)
    }
    const applied = await inTurns(hands, held, apply, await needsRealm(applying, untold))
    if (applied !== undefined) return applied
  }
}

async function applyAll(
  applying: Applying,
  places: Places,
  dated: readonly Dated[],
): Promise<Pick<Applied, 'lines' | 'newDevice'>> {
  const of = <K extends DeltaKind>(kind: K) => dated.filter((one): one is Dated<DeltaOf<K>> => one.delta.kind === kind)
  const at = (address: Address, kind: 'direct' | 'group' = 'group'): string => {
    const known = places.get(toBase64url(address))
    if (known !== undefined) return known
    const id = newChannelId(applying.deps)
    places.set(toBase64url(address), id)
    applying.draft.put('channels', id, returningChannel(address, kind))
    return id
  }
  for (const one of of('profile')) await applyProfile(applying, one)
  for (const one of of('settings')) await applySettings(applying, one)
  let newDevice = false
  for (const one of of('device')) newDevice = (await applyDevice(applying, one)) || newDevice
  for (const one of of('contact')) await applyContact(applying, one)
  for (const one of of('channel')) {
    if (one.delta.channel === 'notes' || (one.delta.left === true && !places.has(toBase64url(one.delta.address))))
      continue
    await applyChannel(applying, at(one.delta.address, one.delta.channel), one)
  }
  for (const one of of('forget')) await applyForget(applying, at(one.delta.channel), one)
  const told = groupBy(of('line'), ({ delta }) => at(delta.channel))
  const counts = await Promise.all(
    [...told].map(([id, lines]) =>
      applyLines(
        applying,
        id,
        lines.map(({ delta }) => delta),
      ),
    ),
  )
  const lines = counts.reduce((sum, count) => sum + count, 0)
  for (const one of of('read')) await applyRead(applying, at(one.delta.channel), one)
  return { lines, newDevice }
}

/** Most of what other devices tell is on this one too: that needs no channel's turn. */
async function leaveKnown({ deps, draft }: Applying, places: Places, dated: readonly Dated[]): Promise<Dated[]> {
  const known = new Set<Delta>()
  const lines = dated.flatMap(({ delta }) => (delta.kind === 'line' ? [delta] : []))
  for (const [name, told] of groupBy(lines, ({ channel }) => toBase64url(channel))) {
    const channelId = places.get(name)
    if (channelId === undefined) continue
    const here = await knownLines(deps.store, channelId, told)
    dropWaiting(draft, channelId, here)
    for (const line of here) known.add(line)
  }
  return dated.filter(({ delta }) => !known.has(delta))
}

/** What is changed at the realm's word as well: the account's own record, and contacts that are known here (K-05). */
async function needsRealm({ deps, own }: Applying, dated: readonly Dated[]): Promise<boolean> {
  if (dated.some(({ delta }) => delta.kind === 'profile' && delta.name !== own.account.name)) return true
  const told = new Set(dated.flatMap(({ delta }) => (delta.kind === 'contact' ? [toBase64url(delta.account)] : [])))
  if (told.size === 0) return false
  return (await deps.store.list('contacts')).some(({ record }) => told.has(toBase64url(record.account)))
}

async function placesOf(deps: Deps, addresses: ReadonlySet<string>): Promise<Places> {
  const places: Places = new Map()
  if (addresses.size === 0) return places
  for (const { key, record } of await deps.store.list('channels')) {
    const name = record.address && toBase64url(record.address)
    if (name !== undefined && addresses.has(name)) places.set(name, String(key))
  }
  return places
}

function addressOf(delta: Delta): Address | undefined {
  switch (delta.kind) {
    case 'line':
    case 'forget':
    case 'read':
      return delta.channel
    case 'channel':
      return delta.address
    default:
      return undefined
  }
}
