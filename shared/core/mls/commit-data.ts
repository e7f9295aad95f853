import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { ACCOUNT_BYTES, type AccountId, HASH_BYTES } from '../wire/ids.ts'
import { MAX_ENVELOPE_BYTES, MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import { ROLES, type Role } from './channel-context.ts'
import { type ProfileChange, readProfileChange, writeProfileChange } from './profile.ts'
import { readSpaceChange, type SpaceChange, writeSpaceChange } from './space.ts'

/**
 * What a commit's authenticated data says (MLS6, docs/spec/mls.md): the relay can't change it, and every member judges
 * the commit by it.
 *
 *    1B  version: 0x01, 0x02 when the profile changes, 0x03 when what the group is of a space does
 *    8B  time, ms: the clock that lifetimes are judged by
 *   32B  hash of the seat changes that go with the commit
 *    2B  number of manifests, then of each: 4B length, nB root-signed manifest
 *    2B  number of changed roles, then of each: 32B account, 1B role (channel-context.ts)
 *    1B  in version 0x03 alone: 1 when the profile changes too
 *    nB  change of the profile (profile.ts), when it changes
 *    nB  change of what it is of a space (space.ts), in version 0x03 alone
 */
export type CommitData = {
  readonly timeMs: number
  readonly seatsHash: Uint8Array
  readonly manifests: readonly Uint8Array[]
  readonly roles?: readonly RoleChange[]
  readonly profile?: ProfileChange
  readonly space?: SpaceChange
}
export type RoleChange = { readonly account: AccountId; readonly role: Role }

const VERSION = 0x01
const VERSION_WITH_PROFILE = 0x02
const VERSION_OF_SPACE = 0x03

export function encodeCommitData(data: CommitData): Uint8Array {
  const { timeMs, seatsHash, manifests, roles = [], profile, space } = data
  if (seatsHash.length !== HASH_BYTES) throw new WireError('commit-data/seats')
  const version = space !== undefined ? VERSION_OF_SPACE : profile === undefined ? VERSION : VERSION_WITH_PROFILE
  const w = new Writer().u8(version).u64(timeMs).raw(seatsHash)
  w.u16(manifests.length)
  for (const manifest of manifests) w.block(manifest)
  w.u16(roles.length)
  for (const { account, role } of roles) w.raw(account).u8(ROLES.indexOf(role))
  if (space !== undefined) w.u8(profile === undefined ? 0 : 1)
  if (profile !== undefined) writeProfileChange(w, profile)
  if (space !== undefined) writeSpaceChange(w, space)
  return w.done()
}

export function decodeCommitData(bytes: Uint8Array): CommitData {
  const r = new Reader(bytes, MAX_ENVELOPE_BYTES)
  const version = r.u8()
  if (version < VERSION || version > VERSION_OF_SPACE) throw new WireError('commit-data/version')
  const timeMs = r.u64()
  const seatsHash = r.take(HASH_BYTES)
  const manifests: Uint8Array[] = []
  for (let left = r.u16(); left > 0; left--) manifests.push(r.block(MAX_MANIFEST_BYTES))
  const roles: RoleChange[] = []
  for (let left = r.u16(); left > 0; left--) {
    const account = r.take(ACCOUNT_BYTES) as AccountId
    const role = ROLES[r.u8()]
    if (role === undefined) throw new WireError('commit-data/role')
    roles.push({ account, role })
  }
  const hasProfile = version === VERSION_OF_SPACE ? r.u8() : version - VERSION
  if (hasProfile > 1) throw new WireError('commit-data/profile')
  const profile = hasProfile === 0 ? {} : { profile: readProfileChange(r) }
  const space = version === VERSION_OF_SPACE ? { space: readSpaceChange(r) } : {}
  r.end()
  return { timeMs, seatsHash, manifests, roles, ...profile, ...space }
}
