import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { type Group, kindOf, profileOf, rolesOf, spaceOf } from '#core/mls/index.ts'
import { type AccountId, MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { withPutOut } from '../join/put-out.ts'
import type { ChannelRecord, GroupNoticeRecord, LineRecord } from '../ports/records.ts'

const SHOWN = 8

type Commit = { readonly position: number; readonly by: AccountId; readonly mine: boolean }
type Said = Pick<GroupNoticeRecord, 'notice' | 'accounts' | 'value'>

/** What a commit changed is a line in its place, so that nobody comes, goes or rises unseen (C-04). */
export function noteChange(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  before: Loaded,
  after: Loaded,
  { position, by, mine }: Commit,
): ChannelRecord {
  const { channel } = after
  const leavers = (channel.leavers ?? []).filter((one) => isIn(after, one))
  const said = changeOf(before, after)
  if (said !== undefined) noteLine(deps, draft, after, { ...said, position, by, mine })
  const noted = leavers.length === (channel.leavers ?? []).length ? channel : { ...channel, leavers }
  if (kindOf(after.group) !== 'group') return noted
  return withPutOut(noted, before.sync.accounts, after.sync.accounts, before.channel.leavers)
}

/** Somebody says that they leave: a line where they said so. */
export function noteLeaver(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  loaded: Loaded,
  { position, by, mine }: Commit,
): ChannelRecord {
  noteLine(deps, draft, loaded, { notice: 'left', accounts: [by], value: '', position, by, mine })
  const { channel } = loaded
  return { ...channel, leavers: [...(channel.leavers ?? []), by] }
}

function noteLine(
  { dice, clock }: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  loaded: Loaded,
  said: Said & Commit,
): void {
  noteGroupLine(draft, loaded, { ...said, messageId: dice(MESSAGE_ID_BYTES) as MessageId, atMs: clock.now() })
}

/** What happened in a group, as a line in its place. */
export function noteGroupLine(
  draft: Draft,
  { id, channel }: Pick<Loaded, 'id' | 'channel'>,
  {
    notice,
    accounts,
    value,
    position,
    by,
    mine,
    messageId,
    atMs,
  }: Said & Commit & Pick<LineRecord, 'messageId' | 'atMs'>,
): void {
  const line: LineRecord = {
    kind: 'group',
    messageId,
    author: by,
    atMs,
    mine,
    theirs: channel.theirs,
    notice,
    accounts: accounts.slice(0, SHOWN),
    count: accounts.length,
    value,
  }
  draft.put('lines', [id, position], line)
}

/** One line a commit: of several changes, who came or went. */
function changeOf(before: Loaded, after: Loaded): Said | undefined {
  const [old, now] = [profileOf(before.group), profileOf(after.group)]
  if (kindOf(after.group) === 'group') {
    const added = lacking(after, before)
    if (added.length > 0) return { notice: 'added', accounts: added, value: '' }
    const gone = lacking(before, after)
    const removed = gone.filter((account) => !before.channel.leavers?.some((one) => equalBytes(one, account)))
    if (removed.length > 0) return { notice: 'removed', accounts: removed, value: '' }
    const [role] = gone.length > 0 ? [] : changedRoles(before.group, after.group)
    if (role !== undefined) return { notice: 'role', accounts: [role.account], value: role.role }
    if (old.title !== now.title) return { notice: 'title', accounts: [], value: now.title }
    if (old.topic !== now.topic) return { notice: 'topic', accounts: [], value: now.topic }
    if (!equalBytes(old.avatar, now.avatar)) return { notice: 'avatar', accounts: [], value: '' }
    const space = changedSpace(before.group, after.group)
    if (space !== undefined) return { notice: 'space', accounts: [], value: space }
  }
  return old.timerMs === now.timerMs ? undefined : { notice: 'timer', accounts: [], value: String(now.timerMs) }
}

/** Of a space's home, that a channel came or went; of a channel, that it went (C-10). */
function changedSpace(before: Group, after: Group): 'listed' | 'unlisted' | 'out' | undefined {
  const [old, now] = [spaceOf(before), spaceOf(after)]
  if (old?.is === 'channel') return now === undefined ? 'out' : undefined
  if (old?.is !== 'home' || now?.is !== 'home' || old.channels === now.channels) return undefined
  return now.channels.some((one) => !old.channels.some((other) => equalBytes(one, other))) ? 'listed' : 'unlisted'
}

/** Accounts that are in the one and not in the other. */
function lacking({ sync }: Loaded, other: Loaded): AccountId[] {
  const there = new Set(other.sync.accounts.map(({ account }) => toHex(account)))
  return sync.accounts.flatMap(({ account }) => (there.has(toHex(account)) ? [] : [account]))
}

function isIn({ sync }: Loaded, account: AccountId): boolean {
  return sync.accounts.some((place) => equalBytes(place.account, account))
}

function changedRoles(before: Group, after: Group): readonly { readonly account: AccountId; readonly role: string }[] {
  const [old, now] = [rolesOf(before), rolesOf(after)]
  const was = new Map(old.map(({ account, role }) => [toHex(account), role]))
  const is = new Set(now.map(({ account }) => toHex(account)))
  const risen = now.filter(({ account, role }) => was.get(toHex(account)) !== role)
  const fallen = old.filter(({ account }) => !is.has(toHex(account)))
  return [...risen, ...fallen.map(({ account }) => ({ account, role: 'member' }))]
}
