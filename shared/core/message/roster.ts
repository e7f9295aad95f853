import { equalBytes } from '../bytes/equal.ts'
import { toHex } from '../bytes/hex.ts'
import { CryptoError } from '../errors.ts'
import type { Manifest } from '../identity/manifest.ts'
import { ACCOUNT_BYTES, type AccountId, ENTRY_BYTES, type EntryId, SEAT_BYTES, type SeatId } from '../wire/ids.ts'
import { MAX_SEATS } from '../wire/limits.ts'
import { bool, fixed, list, object, optional, type TypeOf, uint } from '../wire/schema.ts'
import type { SeatChanges } from '../wire/seats.ts'

/**
 * Roster: which seat at the relay belongs to which leaf of the group, and to which account's entry (docs/spec/coming-back.md,
 * SEAT1 to SEAT6). Every member keeps it, from commits alone; newcomers get it with what brings them in.
 */
const MAX_LEAF = 2 ** 24
const HPKE_KEY_BYTES = 32

const seatPlace = object({
  leaf: uint(MAX_LEAF),
  seat: fixed<SeatId>(SEAT_BYTES),
  entry: fixed<EntryId>(ENTRY_BYTES),
  moderator: bool,
})
const accountPlace = object({
  account: fixed<AccountId>(ACCOUNT_BYTES),
  entry: fixed<EntryId>(ENTRY_BYTES),
  sequence: uint(0xffff_ffff), // of the newest manifest that a commit brought
  hpkeKey: optional(fixed(HPKE_KEY_BYTES)), // that manifest's; without one, no box (C-07)
  since: optional(uint()), // position of the commit by which the account came in; absent in what comes with that very commit
})
export type SeatPlace = TypeOf<typeof seatPlace>
export type AccountPlace = TypeOf<typeof accountPlace>
export type Roster = { readonly seats: readonly SeatPlace[]; readonly accounts: readonly AccountPlace[] }

export const rosterFields = { seats: list(seatPlace, MAX_SEATS), accounts: list(accountPlace, MAX_SEATS) }

type Placed = { readonly leaf: number; readonly account: AccountId }

export type RosterChange = {
  readonly by: AccountId
  readonly added: readonly Placed[] // in the commit's order; of an enter, the joining leaf
  readonly removed: readonly number[] // leaves
  readonly manifests: readonly Manifest[]
  readonly seats: SeatChanges
  /** Accounts that the commit has made moderate, or no longer: by their roles before and after it. */
  readonly moderation?: readonly { readonly account: AccountId; readonly moderator: boolean }[]
}

/**
 * The roster after a commit that is good by MLS's rules. `since`: the commit's position, where it is known.
 * @throws CryptoError 'commit/seats' when the seats that change are not those of the leaves that do: it is void for all
 */
export function changeRoster(roster: Roster, change: RosterChange, since?: number): Roster {
  const { by, added, removed, manifests, seats, moderation = [] } = change
  const out = new Set(removed)
  const gone = roster.seats.filter(({ leaf }) => out.has(leaf))
  const kept = gone.length === 0 ? roster.seats : roster.seats.filter(({ leaf }) => !out.has(leaf))
  const isExact = seats.remove.length === gone.length && gone.every(({ seat }) => has(seats.remove, seat))
  if (!isExact || seats.add.length !== added.length) refuse() // SEAT1, SEAT2

  const maySeatModerators = roster.seats.some((place) => place.moderator && isOf(roster, place, by))
  const accounts = new Map(roster.accounts.map((place) => [toHex(place.account), place]))
  const holders = new Map(roster.accounts.map(({ account, entry }) => [toHex(entry), toHex(account)]))
  const now = [...moderated(roster, kept, moderation, seats)]
  const ids = new Set(added.length === 0 ? [] : now.map(({ seat }) => toHex(seat)))
  for (const [i, { leaf, account }] of added.entries()) {
    const { id, entry, moderator } = seats.add[i] ?? refuse()
    if (ids.has(toHex(id))) refuse() // SEAT3
    if (moderator && !maySeatModerators) refuse() // SEAT5
    const name = toHex(account)
    const before = accounts.get(name)
    const holder = holders.get(toHex(entry.id))
    if (before === undefined ? holder !== undefined : holder !== name) refuse() // SEAT4
    accounts.set(name, before ?? { account, entry: entry.id, sequence: 0, ...(since === undefined ? {} : { since }) })
    holders.set(toHex(entry.id), name)
    ids.add(toHex(id))
    now.push({ leaf, seat: id, entry: entry.id, moderator })
  }
  for (const manifest of manifests) {
    const before = accounts.get(toHex(manifest.account))
    if (before !== undefined) accounts.set(toHex(manifest.account), withManifest(before, manifest))
  }
  const present = new Set(now.map(({ entry }) => toHex(entry)))
  const stay = [...accounts.values()].filter(({ entry }) => present.has(toHex(entry)))
  // What did not change stays the very same value: it is not written anew.
  return { seats: sameOr(roster.seats, now), accounts: sameOr(roster.accounts, stay) }
}

function sameOr<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return before.length === after.length && after.every((one, i) => one === before[i]) ? before : after
}

/** SEAT7: the seats of accounts whose role changed between member and more, exactly. */
function moderated(
  roster: Roster,
  kept: readonly SeatPlace[],
  moderation: NonNullable<RosterChange['moderation']>,
  { moderate = [] }: SeatChanges,
): readonly SeatPlace[] {
  let named = 0
  const entryOf = new Map(roster.accounts.map(({ account, entry }) => [toHex(account), toHex(entry)]))
  const dueOf = new Map(moderation.map(({ account, moderator }) => [entryOf.get(toHex(account)), moderator]))
  const now = kept.map((place) => {
    const due = dueOf.size === 0 ? undefined : dueOf.get(toHex(place.entry))
    if (due === undefined || due === place.moderator) return place
    const change = moderate.find(({ seat }) => equalBytes(seat, place.seat))
    if (change?.moderator !== due) refuse()
    named++
    return { ...place, moderator: due }
  })
  if (named !== moderate.length) refuse()
  return now
}

/** SEAT6: the key that an account's box is sealed to follows its newest manifest. */
export function withManifest(place: AccountPlace, { sequence, vault }: Manifest): AccountPlace {
  const isKnown = sequence === place.sequence && (vault === undefined) === (place.hpkeKey === undefined)
  const hasKey = vault === undefined || place.hpkeKey === undefined || equalBytes(vault.hpkeKey, place.hpkeKey)
  if (sequence < place.sequence || (isKnown && hasKey)) return place
  const { hpkeKey: _, ...rest } = place
  return { ...rest, sequence, ...(vault === undefined ? {} : { hpkeKey: vault.hpkeKey }) }
}

/**
 * Holds a roster that somebody sent against the group itself: one seat a leaf, one entry an account, and nobody else.
 * @throws CryptoError 'roster/group'
 */
export function checkRoster({ seats, accounts }: Roster, members: readonly Placed[]): void {
  const places = new Map(accounts.map((place) => [toHex(place.account), place]))
  const entries = new Set(accounts.map(({ entry }) => toHex(entry)))
  const ids = new Set(seats.map(({ seat }) => toHex(seat)))
  const byLeaf = new Map(seats.map((place) => [place.leaf, place]))
  const fits = members.every(({ leaf, account }) => {
    const [seat, place] = [byLeaf.get(leaf), places.get(toHex(account))]
    return seat !== undefined && place !== undefined && equalBytes(seat.entry, place.entry)
  })
  const isOnce = [ids.size, byLeaf.size].every((size) => size === seats.length) && seats.length === members.length
  const isNoMore = new Set(members.map(({ account }) => toHex(account))).size === places.size
  const areApart = places.size === accounts.length && entries.size === accounts.length
  if (!fits || !isOnce || !isNoMore || !areApart) throw new CryptoError('roster/group')
}

export function placeOf({ accounts }: Pick<Roster, 'accounts'>, account: AccountId): AccountPlace | undefined {
  return accounts.find((place) => equalBytes(place.account, account))
}

function isOf(roster: Roster, { entry }: SeatPlace, account: AccountId): boolean {
  const place = placeOf(roster, account)
  return place !== undefined && equalBytes(place.entry, entry)
}

function has(ids: readonly SeatId[], id: SeatId): boolean {
  return ids.some((other) => equalBytes(other, id))
}

function refuse(): never {
  throw new CryptoError('commit/seats')
}
