import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import type { Reader } from '../bytes/reader.ts'
import type { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { ADDRESS_BYTES, type Address } from '../wire/ids.ts'

/**
 * What a group is of a space (C-10, MLS24 in docs/spec/mls.md): its home, which lists the space's channels, or one of those, which names the
 * home. Neither says anything by itself: a channel is of a space where both say so (docs/spec/spaces.md). Encoded:
 *
 *    1B  1 home, 2 channel
 *    home: 1B number of channels, then of each, ascending: 32B address
 *    channel: 32B address of the home
 */
export type SpacePart =
  | { readonly is: 'home'; readonly channels: readonly Address[] }
  | { readonly is: 'channel'; readonly home: Address }

/**
 * By a commit: a home lists channels and lists others no longer; a channel stops naming its home. Encoded:
 *
 *    1B  1 the list, 2 the name
 *    the list: twice (those that come, those that go) 1B number, then of each, ascending: 32B address
 */
export type SpaceChange =
  | { readonly list: readonly Address[]; readonly unlist: readonly Address[] }
  | { readonly leave: true }

export const MAX_SPACE_CHANNELS = 64
export const MAX_SPACE_BYTES = 2 + MAX_SPACE_CHANNELS * ADDRESS_BYTES

export function writeSpacePart(w: Writer, part: SpacePart): Writer {
  return part.is === 'home' ? writeAddresses(w.u8(1), part.channels) : w.u8(2).raw(part.home)
}

/** @throws WireError 'space/part', 'space/channels' */
export function readSpacePart(r: Reader): SpacePart {
  const which = r.u8()
  if (which === 1) return { is: 'home', channels: readAddresses(r) }
  if (which === 2) return { is: 'channel', home: r.take(ADDRESS_BYTES) as Address }
  throw new WireError('space/part')
}

export function writeSpaceChange(w: Writer, change: SpaceChange): Writer {
  return 'leave' in change ? w.u8(2) : writeAddresses(writeAddresses(w.u8(1), change.list), change.unlist)
}

/** @throws WireError 'space/change', 'space/channels' */
export function readSpaceChange(r: Reader): SpaceChange {
  const which = r.u8()
  if (which === 2) return { leave: true }
  if (which !== 1) throw new WireError('space/change')
  const [list, unlist] = [readAddresses(r), readAddresses(r)]
  const isTwice = list.some((one) => unlist.some((other) => equalBytes(one, other)))
  if (list.length + unlist.length === 0 || isTwice) throw new WireError('space/change')
  return { list, unlist }
}

/**
 * What the group is after the change. What it is not it never becomes: nobody makes a home or a channel of a space out of a group that people
 * are in already. The same object when nothing changes.
 * @returns 'refused' for a change that does not fit
 */
export function changeSpace(part: SpacePart | undefined, change: SpaceChange): SpacePart | undefined | 'refused' {
  if ('leave' in change) return part?.is === 'channel' ? undefined : 'refused'
  if (part?.is !== 'home') return 'refused'
  const before = new Map(part.channels.map((one) => [toHex(one), one]))
  const after = new Map(before)
  for (const one of change.list) after.set(toHex(one), one)
  for (const one of change.unlist) after.delete(toHex(one))
  if (after.size > MAX_SPACE_CHANNELS) return 'refused'
  if (after.size === before.size && [...after.keys()].every((name) => before.has(name))) return part
  return { is: 'home', channels: sorted(after) }
}

/** In the one order that they are encoded in. */
export function spaceListing(listed: readonly Address[], unlisted: readonly Address[]): SpaceChange {
  const inOrder = (all: readonly Address[]) => sorted(new Map(all.map((one) => [toHex(one), one])))
  return { list: inOrder(listed), unlist: inOrder(unlisted) }
}

function sorted(addresses: ReadonlyMap<string, Address>): readonly Address[] {
  return [...addresses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address)
}

function writeAddresses(w: Writer, addresses: readonly Address[]): Writer {
  w.u8(addresses.length)
  for (const one of addresses) w.raw(one)
  return w
}

/** One encoding for one meaning: ascending, none twice. */
function readAddresses(r: Reader): readonly Address[] {
  const found: Address[] = []
  const count = r.u8()
  if (count > MAX_SPACE_CHANNELS) throw new WireError('space/channels')
  for (let left = count; left > 0; left--) {
    const address = r.take(ADDRESS_BYTES) as Address
    const before = found.at(-1)
    if (before !== undefined && toHex(before) >= toHex(address)) throw new WireError('space/channels')
    found.push(address)
  }
  return found
}
