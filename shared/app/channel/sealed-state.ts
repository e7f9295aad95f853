import {
  type ChannelState,
  REJOIN_EXPORT,
  rejoinOuterKey,
  sealBox,
  sealChannelState,
} from '#core/message/channel-state.ts'
import type { Roster } from '#core/message/roster.ts'
import { exportGroupInfo, exportSecret, type Group, kindOf, members } from '#core/mls/index.ts'
import type { Address } from '#core/wire/ids.ts'
import type { SealedState } from '#core/wire/operations.ts'

/** In larger channels the state would cost more than it helps (docs/decisions/0010-many-devices.md). */
const MAX_DEVICES_WITH_STATE = 64

type About = {
  readonly address: Address
  readonly title: string
  readonly roster: Roster
  readonly names: NonNullable<ChannelState['names']>
}

/** What the commit that begins this epoch leaves for devices that come back: nothing in a large channel. */
export async function sealedStateOf(
  group: Group,
  { address, title, roster, names }: About,
): Promise<SealedState | undefined> {
  if (members(group).length > MAX_DEVICES_WITH_STATE) return undefined
  const key = await rejoinKeyOf(group)
  const kind = kindOf(group)
  const state = { ...(await exportGroupInfo(group)), kind, title: kind === 'group' ? title : '', ...roster, names }
  const info = await sealChannelState(key, address, state)
  if (info === undefined) return undefined
  const boxes = roster.accounts.flatMap(({ entry, hpkeKey }) =>
    hpkeKey === undefined ? [] : [sealBox(hpkeKey, address, entry, key).then((box) => ({ entry, box }))],
  )
  return { info, boxes: await Promise.all(boxes) }
}

/** Under this the members of an epoch look for a device that comes in by itself. */
export async function enterKeyOf(group: Group): Promise<Uint8Array> {
  return rejoinOuterKey(await rejoinKeyOf(group))
}

function rejoinKeyOf(group: Group): Promise<Uint8Array> {
  return exportSecret(group, REJOIN_EXPORT.label, new Uint8Array(), REJOIN_EXPORT.length)
}
