import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { placeOf } from '#core/message/roster.ts'
import { type Member, members, ownLeafOf } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { askDirectory } from '../contact/ask-directory.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { groupBy } from '../log/group-by.ts'
import type { AccountRecord, Wanted } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'
import { spread } from './spread.ts'

/** A device that goes with the next commit, and the manifest that no longer lists it (MLS13). */
export type Leaver = { readonly member: Member; readonly manifest: Uint8Array }
type Removal = Extract<Wanted, { want: 'remove' }>

/** Others who may do the same wait for a moment, so that not all of them stage a commit; one's own devices go first. */
const OTHERS_WITHIN_MS = 10_000
/**
 * An account whose last device here is revoked could not come back by itself (MLS21). Its new devices come in within
 * moments; this is for when they can't.
 */
const LAST_LEAF_AFTER_MS = 24 * 60 * 60 * 1000

export async function leaversOf(
  deps: Deps,
  loaded: Loaded,
  account: AccountRecord,
  due: readonly Wanted[],
): Promise<readonly Leaver[]> {
  const leavers: Leaver[] = []
  for (const wanted of due) {
    if (wanted.want !== 'remove') continue
    const member = members(loaded.group).find((one) => isOf(one, wanted))
    const contact = await findContact(deps.store, wanted.account)
    const seen = placeOf(loaded.sync, wanted.account)?.sequence ?? 0
    const manifest = await newestOf(deps, seen, account, wanted.account, contact)
    if (member !== undefined && manifest !== undefined) leavers.push({ member, manifest })
  }
  return leavers
}

/**
 * Compares the channel's devices with the newest manifests that this device knows: what those no longer list is to go
 * (K-07), if this device's seat may see to it (CHN8).
 */
export async function noteRevoked(deps: Deps, loaded: Loaded, account: AccountRecord): Promise<Loaded> {
  let wanted = loaded.sync.wanted
  const contacts = new Map((await deps.store.list('contacts')).map((row) => [toHex(row.record.account), row]))
  const sequences = new Map(loaded.sync.accounts.map((place) => [toHex(place.account), place.sequence]))
  for (const [, devices] of groupBy(members(loaded.group), ({ account: one }) => toHex(one))) {
    const [first] = devices
    if (first === undefined) continue
    const own = equalBytes(first.account, account.account)
    if (!own && !moderates(loaded)) continue
    const contact = contacts.get(toHex(first.account))
    const known = contact && { key: String(contact.key), record: contact.record }
    const seen = sequences.get(toHex(first.account)) ?? 0
    const bytes = await newestOf(deps, seen, account, first.account, known)
    if (bytes === undefined) continue
    const listed = await listedIn(bytes)
    const gone = devices.filter((member) => !listed.has(nameOf(member)) && member.leaf !== ownLeafOf(loaded.group))
    const isLast = gone.length === devices.length && listed.size > 0
    const waitMs = isLast ? LAST_LEAF_AFTER_MS : own ? 0 : spread(deps, OTHERS_WITHIN_MS)
    for (const member of gone) wanted = withRemoval(wanted, member, deps.clock.now() + waitMs)
  }
  if (wanted === loaded.sync.wanted) return loaded
  const sync = { ...loaded.sync, wanted }
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}

/** Once each, and at the earlier time: an account's last device goes at once when another one has come in. */
function withRemoval(wanted: readonly Wanted[], member: Member, notBeforeMs: number): readonly Wanted[] {
  const { account, deviceId } = member
  const before = wanted.find((one) => one.want === 'remove' && isOf(member, one))
  if (before?.want === 'remove' && before.notBeforeMs <= notBeforeMs) return wanted
  return [...wanted.filter((one) => one !== before), { want: 'remove', account, deviceId, notBeforeMs }]
}

/** Whether this device's own seat may remove those of others. */
function moderates({ sync }: Loaded): boolean {
  return sync.seats.some(({ seat, moderator }) => moderator && equalBytes(seat, sync.seat))
}

async function newestOf(
  deps: Deps,
  sequence: number, // the newest that the channel has seen
  own: AccountRecord,
  account: AccountId,
  contact: Awaited<ReturnType<typeof findContact>>,
): Promise<Uint8Array | undefined> {
  if (equalBytes(own.account, account)) return own.sequence >= sequence ? own.manifest : undefined
  if (contact === undefined || contact.record.sequence >= sequence) return contact?.record.manifest
  // The channel has seen a newer one: an older one in a commit would make it void (MLS11).
  // It is stored with the next look at the directory, in the turn that contacts are changed in.
  const answer = await askDirectory(deps, contact.record)
  return answer.is === 'newer' && answer.sequence >= sequence ? answer.manifest : undefined
}

const MAX_REMEMBERED = 4096
const remembered = new Map<string, ReadonlySet<string>>()

/** A manifest's devices. Remembered by its hash: in a large channel each of them is asked for with each epoch. */
async function listedIn(manifest: Uint8Array): Promise<ReadonlySet<string>> {
  const hash = toHex(sha256(manifest))
  const before = remembered.get(hash)
  if (before !== undefined) return before
  const { devices } = await checkManifest(manifest)
  const listed = new Set(devices.map(({ certificate }) => nameOf(certificate)))
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(hash, listed)
  return listed
}

/** A device in a manifest is told by its id and by the very key that it signs with. */
function nameOf({ deviceId, signatureKey }: Pick<Member, 'deviceId' | 'signatureKey'>): string {
  return `${toHex(deviceId)} ${toHex(signatureKey)}`
}

function isOf(one: Pick<Member, 'account' | 'deviceId'>, { account, deviceId }: Removal): boolean {
  return equalBytes(one.account, account) && equalBytes(one.deviceId, deviceId)
}
