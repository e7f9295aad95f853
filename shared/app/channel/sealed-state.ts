import { isDhPublicKey } from '#core/crypto/x25519.ts'
import {
  type ChannelState,
  REJOIN_EXPORT,
  rejoinOuterKey,
  sealBox,
  sealChannelState,
} from '#core/message/channel-state.ts'
import type { Roster } from '#core/message/roster.ts'
import { inPieces } from '#core/message/stashed.ts'
import { exportGroupInfo, exportSecret, type Group, kindOf, members } from '#core/mls/index.ts'
import type { Address, EntryId } from '#core/wire/ids.ts'
import { MAX_STATE_BYTES } from '#core/wire/limits.ts'
import type { SealedState } from '#core/wire/operations.ts'
import { MAX_DEVICES_OF_SMALL } from './large.ts'

type About = {
  readonly address: Address
  readonly title: string
  readonly roster: Roster
  readonly names: NonNullable<ChannelState['names']>
}

/** What the commit that begins this epoch leaves for devices that come back: nothing in a large channel. */
export async function sealedStateOf(group: Group, about: About): Promise<SealedState | undefined> {
  if (members(group).length > MAX_DEVICES_OF_SMALL) return undefined
  const { key, info } = await sealInfo(group, about)
  if (info.length > MAX_STATE_BYTES) return undefined
  return { info, boxes: await boxesFor(about, key, () => true) }
}

export type LeftState = { readonly state: SealedState; readonly pieces: readonly Uint8Array[] }

/** The same of the epoch that there is, for those who asked, in pieces where it is more than a request may hold (BCK6). */
export async function leftStateOf(group: Group, about: About, entries: readonly EntryId[]): Promise<LeftState> {
  const asked = new Set(entries.map((entry) => entry.join()))
  const { key, info } = await sealInfo(group, about)
  const boxes = await boxesFor(about, key, (entry) => asked.has(entry.join()))
  if (info.length <= MAX_STATE_BYTES) return { state: { info, boxes }, pieces: [] }
  return { state: { info: new Uint8Array(), boxes }, pieces: inPieces(info) }
}

async function sealInfo(group: Group, { address, title, roster, names }: About) {
  const key = await rejoinKeyOf(group)
  const kind = kindOf(group)
  const state = { ...(await exportGroupInfo(group)), kind, title: kind === 'group' ? title : '', ...roster, names }
  return { key, info: await sealChannelState(key, address, state) }
}

async function boxesFor(
  { address, roster }: About,
  key: Uint8Array,
  isFor: (entry: EntryId) => boolean,
): Promise<SealedState['boxes']> {
  const boxes = roster.accounts.flatMap(({ entry, hpkeKey }) =>
    // A roster is as told by whoever brought this device in: a key that is none makes no box, and stops nothing.
    hpkeKey === undefined || !isDhPublicKey(hpkeKey) || !isFor(entry)
      ? []
      : [sealBox(hpkeKey, address, entry, key).then((box) => ({ entry, box }))],
  )
  return Promise.all(boxes)
}

/** Under this the members of an epoch look for a device that comes in by itself. */
export async function enterKeyOf(group: Group): Promise<Uint8Array> {
  return rejoinOuterKey(await rejoinKeyOf(group))
}

function rejoinKeyOf(group: Group): Promise<Uint8Array> {
  return exportSecret(group, REJOIN_EXPORT.label, new Uint8Array(), REJOIN_EXPORT.length)
}
