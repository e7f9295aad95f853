import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { readInvitationLink } from '#core/identity/invitation.ts'
import { confirmPhrase, type PhraseAnswer, revealPhrase } from './account/back-up.ts'
import { createIdentity } from './account/create-identity.ts'
import type { LinkDriver } from './device/link-driver.ts'
import { acceptInvitation, noteClaim } from './invitation/accept-invitation.ts'
import { createInvitation } from './invitation/create-invitation.ts'
import { publishInvitations } from './invitation/publish-invitations.ts'
import type { LogWhat } from './log/log-runner.ts'
import type { RelayState, RelayTarget } from './ports/relay.ts'
import { type ArchiveRequests, archiveHandlers } from './requests/archive.ts'
import { type DeviceRequests, devicesHandlers } from './requests/devices.ts'
import { type GroupRequests, groupHandlers } from './requests/groups.ts'
import type { HandlersOf } from './requests/handlers.ts'
import { type HealthRequests, healthHandlers } from './requests/health.ts'
import { type HistoryRequests, historyHandlers } from './requests/history.ts'
import { groupToInvite, type JoinRequests, joinHandlers } from './requests/join.ts'
import { type LockRequests, lockHandlers } from './requests/lock.ts'
import { type PeopleRequests, peopleHandlers } from './requests/people.ts'
import { type RestoreRequests, restoreHandlers } from './requests/restore.ts'
import { type SpaceRequests, spaceHandlers } from './requests/spaces.ts'
import { noteSameNames } from './transparency/same-names.ts'

/** What a face asks of the engine and waits for; each may be asked again after a lost answer. */
export type Requests = FirstRequests &
  RestoreRequests &
  DeviceRequests &
  LockRequests &
  ArchiveRequests &
  PeopleRequests &
  GroupRequests &
  HealthRequests &
  HistoryRequests &
  JoinRequests &
  SpaceRequests
type FirstRequests = {
  createIdentity: { args: { name: string; deviceName: string; deviceKind: 'web' | 'extension' }; reply: null }
  revealPhrase: { args: null; reply: readonly string[] }
  confirmPhrase: { args: readonly PhraseAnswer[]; reply: null }
  createInvitation: { args: { into: string; ask: boolean } | null; reply: { id: string } }
  revokeInvitation: { args: { id: string }; reply: null }
  /** Makes a channel with whoever invites, or a group with a title, or adds them to the channel `into`. */
  acceptInvitation: { args: { link: string; into?: string; group?: { title: string } }; reply: { channelId: string } }
  /** A face is open: connect now if there is a reason to, and look for what it wrote. */
  wake: { args: null; reply: RelayState }
}
export type RequestName = keyof Requests
export type RequestArgs<R extends RequestName> = Requests[R]['args']
export type RequestReply<R extends RequestName> = Requests[R]['reply']

/** What a request needs of the running engine besides its ports. */
export interface EngineHands {
  readonly state: RelayState
  /** Resolves once there is a connection. @throws RelayError 'relay/unreachable' */
  online(origin?: string, noiseKey?: Uint8Array): Promise<void>
  /** A connection without an account. @returns where to. @throws RelayError 'relay/unreachable' */
  onlineAsGuest(origin?: string, noiseKey?: Uint8Array): Promise<RelayTarget>
  leaveAsGuest(): void
  /** The relay refuses what it should not: does the account still list this device? (K-07) */
  lookAtAccount(): void
  readonly linking: LinkDriver
  /** There is a device to be revoked (K-07): begin, or go on. */
  revocationNoted(): void
  /** One task at a time for each name: a channel's id, or 'realm' for everything that belongs to no channel. */
  turn<T>(name: string, task: () => Promise<T>): Promise<T>
  /** The store has something new for this channel to do. */
  kick(channelId: string): void
  /** Somebody is to come into a channel, or it has gone on and may tell what became of that (C-09, C-12). */
  joinsNoted(look?: boolean): void
  /** This device changes a group: where that is a space's home, what follows from it does not wait for chance (SPC4). */
  spaceNoted(channelId: string): void
  /** What is unread is counted anew, for whoever shows it while no face is looking. */
  tellUnread(): Promise<void>
  wake(): void
  /** Somebody could not be added to a group, and is asked for again (GRP7). */
  addLater(): void
  accountMade(): Promise<void>
  invitationMade(label: Uint8Array): void
  /** There are earlier messages to be shared or taken (C-11). */
  sharesNoted(): void
  /** The account's log has something to tell or to be told: at once, in the turn 'log'. */
  logNoted(what: LogWhat): void
}

export const handlers: HandlersOf<Requests> = {
  ...restoreHandlers,
  ...devicesHandlers,
  ...lockHandlers,
  ...archiveHandlers,
  ...peopleHandlers,
  ...groupHandlers,
  ...healthHandlers,
  ...joinHandlers,
  ...spaceHandlers,
  ...historyHandlers,
  createIdentity: async (deps, hands, input) => {
    await hands.turn('realm', () => createIdentity(deps, input))
    deps.changes.announce({ what: 'account' })
    await hands.accountMade()
    return null
  },
  revealPhrase: (deps) => revealPhrase(deps),
  confirmPhrase: async (deps, hands, answers) => {
    await hands.turn('realm', () => confirmPhrase(deps, answers))
    deps.changes.announce({ what: 'account' })
    return null
  },
  createInvitation: async (deps, hands, args) => {
    await hands.online()
    const into = args === null ? undefined : await groupToInvite(deps, hands, args)
    const invitation = await hands.turn('realm', async () => {
      const made = await createInvitation(deps, into)
      await publishInvitations(deps)
      return made
    })
    hands.invitationMade(invitation.label)
    deps.changes.announce({ what: 'invitations' })
    return { id: toBase64url(invitation.id) }
  },
  revokeInvitation: async (deps, hands, { id }) => {
    await hands.turn('realm', async () => {
      const record = await deps.store.get('invitations', id)
      if (record?.state === 'used') throw new InputError('invitation/used')
      if (record === undefined) return
      await deps.store.write([{ put: 'invitations', key: id, record: { ...record, state: 'revoked' } }])
    })
    deps.changes.announce({ what: 'invitations' })
    await hands.online()
    await hands.turn('realm', () => publishInvitations(deps))
    return null
  },
  acceptInvitation: async (deps, hands, { link, into, group }) => {
    const { origin, realmKey } = readInvitationLink(link)
    await hands.online(origin, realmKey)
    const { key, claim } = await hands.turn('realm', () => noteClaim(deps, link, { into, group }))
    const accept = () => hands.turn(claim.channelId, () => acceptInvitation(deps, key, claim))
    const channelId = await hands.turn('realm', accept) // contacts change in this turn alone
    await hands.turn('realm', () => noteSameNames(deps)) // before anything can be said there (K-12)
    deps.changes.announce({ what: 'channels' })
    deps.changes.announce({ what: 'people' })
    hands.kick(channelId)
    return { channelId }
  },
  wake: async (_deps, hands) => {
    hands.wake()
    return hands.state
  },
}
