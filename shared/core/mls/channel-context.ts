import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { WireError } from '../errors.ts'
import { ACCOUNT_BYTES, type AccountId } from '../wire/ids.ts'
import {
  EMPTY_PROFILE,
  isEmptyProfile,
  MAX_PROFILE_BYTES,
  type Profile,
  type ProfileChange,
  readProfile,
  sameProfile,
  writeProfile,
} from './profile.ts'
import {
  changeSpace,
  MAX_SPACE_BYTES,
  readSpacePart,
  type SpaceChange,
  type SpacePart,
  writeSpacePart,
} from './space.ts'

/**
 * What all members agree on besides MLS's own (MLS4, docs/spec/mls.md). The group context has its hash alone: it is part of
 * what every message's signature covers, and a thousand accounts are 37 KB.
 *
 * The extension: 1B version (0x01), 1B kind, 32B SHA-256 of the table. The table:
 *
 *    1B  version: 0x01, 0x02 when there is a profile, 0x03 when the group is of a space
 *    1B  kind: 0 direct, 1 group
 *    1B  in version 0x03 alone: 1 when there is a profile
 *    nB  profile (profile.ts), when there is one
 *    nB  what it is of a space (space.ts), in version 0x03 alone
 *    2B  number of accounts, then of each, by account ascending:
 *          32B  account    1B  role: 0 member, 1 admin, 2 owner    4B  highest manifest sequence
 *
 * An account that is not listed is a member of which no manifest was seen.
 */
export type Role = 'owner' | 'admin' | 'member'
export type ChannelKind = 'direct' | 'group'
export type AccountEntry = { readonly account: AccountId; readonly role: Role; readonly sequence: number }
export type ChannelContext = {
  readonly kind: ChannelKind
  readonly accounts: readonly AccountEntry[]
  readonly profile: Profile
  readonly space?: SpacePart
}

export const CHANNEL_EXTENSION = 0xf0a1

const VERSION = 0x01
const VERSION_WITH_PROFILE = 0x02
const VERSION_OF_SPACE = 0x03
export const ROLES: readonly Role[] = ['member', 'admin', 'owner']
const KINDS: readonly ChannelKind[] = ['direct', 'group']
const ENTRY_BYTES = ACCOUNT_BYTES + 1 + 4
const MAX_ACCOUNTS = 4096
const MAX_BYTES = 5 + MAX_PROFILE_BYTES + MAX_SPACE_BYTES + MAX_ACCOUNTS * ENTRY_BYTES

export function encodeChannelContext({ kind, accounts, profile, space }: ChannelContext): Uint8Array {
  const isPlain = isEmptyProfile(profile)
  const version = space !== undefined ? VERSION_OF_SPACE : isPlain ? VERSION : VERSION_WITH_PROFILE
  const w = new Writer().u8(version).u8(KINDS.indexOf(kind))
  if (space !== undefined) w.u8(isPlain ? 0 : 1)
  if (!isPlain) writeProfile(w, profile)
  if (space !== undefined) writeSpacePart(w, space)
  w.u16(accounts.length)
  for (const { account, role, sequence } of accounts) w.raw(account).u8(ROLES.indexOf(role)).u32(sequence)
  return w.done()
}

export function decodeChannelContext(bytes: Uint8Array): ChannelContext {
  const r = new Reader(bytes, MAX_BYTES)
  const version = r.u8()
  if (version < VERSION || version > VERSION_OF_SPACE) throw new WireError('channel-context/version')
  const kind = KINDS[r.u8()]
  if (kind === undefined) throw new WireError('channel-context/kind')
  const hasProfile = version === VERSION_OF_SPACE ? r.u8() : version - VERSION
  if (hasProfile > 1) throw new WireError('channel-context/profile')
  const profile = hasProfile === 0 ? EMPTY_PROFILE : readProfile(r)
  if (hasProfile === 1 && isEmptyProfile(profile)) throw new WireError('channel-context/profile')
  const space = version === VERSION_OF_SPACE ? { space: readSpacePart(r) } : {}
  const accounts: AccountEntry[] = []
  for (let left = r.u16(); left > 0; left--) {
    const account = r.take(ACCOUNT_BYTES) as AccountId
    const role = ROLES[r.u8()]
    if (role === undefined) throw new WireError('channel-context/role')
    const before = accounts.at(-1)
    // One encoding for one meaning: members compare these bytes.
    if (before !== undefined && toHex(before.account) >= toHex(account)) throw new WireError('channel-context/order')
    accounts.push({ account, role, sequence: r.u32() })
  }
  r.end()
  const context = { kind, accounts, profile, ...space }
  if (!isSound(context)) throw new WireError(`channel-context/${kind}`)
  return context
}

/** MLS13: a conversation of two is of two, and neither can let in a third that the other does not see. */
export function isSound({ kind, accounts, space }: Pick<ChannelContext, 'kind' | 'accounts' | 'space'>): boolean {
  if (kind === 'direct') {
    return space === undefined && accounts.length === 2 && accounts.every(({ role }) => role === 'owner')
  }
  return accounts.some(({ role }) => role === 'owner')
}

type Extensions = readonly { readonly extensionType: unknown; readonly extensionData: Uint8Array }[]

const extensions = new WeakMap<ChannelContext, Uint8Array>()

export function toExtension(context: ChannelContext): { extensionType: number; extensionData: Uint8Array } {
  const known = extensions.get(context)
  if (known !== undefined) return { extensionType: CHANNEL_EXTENSION, extensionData: known }
  const table = encodeChannelContext(context)
  const extensionData = new Writer().u8(VERSION).u8(KINDS.indexOf(context.kind)).raw(sha256(table)).done()
  extensions.set(context, extensionData)
  return { extensionType: CHANNEL_EXTENSION, extensionData }
}

/** Whether a group context's extensions are exactly this table's. */
export function isExtensionOf(found: Extensions, context: ChannelContext): boolean {
  const [only, ...others] = found
  const { extensionType, extensionData } = toExtension(context)
  return others.length === 0 && only?.extensionType === extensionType && equalBytes(only.extensionData, extensionData)
}

export function entryOf({ accounts }: Pick<ChannelContext, 'accounts'>, account: AccountId): AccountEntry {
  return accounts.find((entry) => equalBytes(entry.account, account)) ?? { account, role: 'member', sequence: 0 }
}

export type ContextChange = {
  readonly roles?: readonly { readonly account: AccountId; readonly role: Role }[]
  readonly manifests?: readonly { readonly account: AccountId; readonly sequence: number }[]
  readonly profile?: ProfileChange | undefined
  /** One that does not fit changes nothing: whoever judges a commit looks first (MLS24). */
  readonly space?: SpaceChange | undefined
  /** Accounts that have no device in the group any more: they are nothing but members, should they come again. */
  readonly gone?: readonly AccountId[]
}

/** The context with those changes; sequences are raised, never lowered. The same object when nothing changes. */
export function changeContext(context: ChannelContext, change: ContextChange): ChannelContext {
  const { roles = [], manifests = [], profile, gone = [] } = change
  const entries = new Map(context.accounts.map((entry) => [toHex(entry.account), entry]))
  let changed = false
  const put = (before: AccountEntry, after: AccountEntry) => {
    if (before.role === after.role && before.sequence === after.sequence) return
    entries.set(toHex(after.account), after)
    changed = true
  }
  const known = (account: AccountId) => entries.get(toHex(account)) ?? entryOf({ accounts: [] }, account)
  for (const { account, role } of roles) put(known(account), { ...known(account), role })
  for (const { account, sequence } of manifests) {
    const before = known(account)
    put(before, { ...before, sequence: Math.max(before.sequence, sequence) })
  }
  for (const account of leavable(context.kind, [...entries.values()], gone)) {
    put(known(account), { ...known(account), role: 'member' })
  }
  const next = profile === undefined ? context.profile : { ...context.profile, ...profile }
  const { space: before, ...rest } = context
  const after = change.space === undefined ? before : changeSpace(before, change.space)
  const space = after === 'refused' ? before : after
  if (!changed && space === before && sameProfile(next, context.profile)) return context
  const accounts = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  return { ...rest, accounts, profile: next, ...(space === undefined ? {} : { space }) }
}

/** A conversation of two stays one; and where the last owner's last device was revoked, the account stays the owner (MLS4). */
function leavable(
  kind: ChannelKind,
  accounts: readonly AccountEntry[],
  gone: readonly AccountId[],
): readonly AccountId[] {
  if (kind === 'direct') return []
  const isGone = ({ account }: AccountEntry) => gone.some((one) => equalBytes(one, account))
  const isOwned = accounts.some((entry) => entry.role === 'owner' && !isGone(entry))
  return accounts.filter((entry) => isGone(entry) && (isOwned || entry.role !== 'owner')).map(({ account }) => account)
}
