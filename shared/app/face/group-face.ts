import type { ChannelView } from '../face.ts'
import type { ChannelNamed } from './join-face.ts'
import type { SpaceOfDetails } from './space-face.ts'

/** Channels of many (C-01 to C-05). What changes the group is done when it is ordered: it shows as 'channel' changes. */
export interface GroupFace {
  /** With people whom this account knows, in it from the first moment. @throws InputError 'group/title', 'group/unknown', 'group/too-many' */
  createGroup(input: {
    readonly title: string
    readonly members: readonly string[]
    readonly large?: boolean // for more than 250 devices: classical keys
    readonly name?: string // by which others find it and ask to be let in (C-09)
  }): Promise<{ readonly channelId: string; readonly missing: readonly string[] }>
  /** Who is in it and what may be done, from the store alone. @throws InputError 'channel/unknown' */
  channelDetails(channelId: string): Promise<ChannelDetails>
  /** @throws InputError 'group/not-allowed', 'group/unknown' */
  addMembers(channelId: string, ids: readonly string[]): Promise<{ readonly missing: readonly string[] }>
  removeMember(channelId: string, id: string): Promise<void>
  setRole(channelId: string, id: string, role: Role): Promise<void>
  /** @throws InputError 'group/title', 'group/topic', 'group/avatar', 'group/not-allowed' */
  setProfile(channelId: string, change: ProfileChange): Promise<void>
  /** @throws InputError 'channel/last-owner': one who stays has to own it first */
  leaveChannel(channelId: string): Promise<void>
  /** New keys for this device here, now (C-08). */
  healChannel(channelId: string): Promise<void>
  /** Somebody who is no contact has added this account (M-11). Until it is accepted nothing is sent there, no receipt either. */
  acceptRequest(channelId: string): Promise<void>
  /** Leaves, without a word. */
  declineRequest(channelId: string): Promise<void>
}

export type Role = 'owner' | 'admin' | 'member'
export type ChannelDetails = {
  readonly id: string
  readonly kind: 'direct' | 'group' | 'notes'
  readonly state: ChannelView['state']
  readonly title: string
  readonly topic: string
  readonly avatar?: Uint8Array // PNG, WebP or JPEG
  readonly timerMs: number // messages vanish after it; 0: they stay
  readonly members: readonly MemberView[] // this account first, then by name
  readonly myRole: Role
  /** What this account's role lets it do. */
  readonly can: {
    readonly add: boolean
    readonly profile: boolean
    readonly roles: boolean
    readonly leave: boolean // false: it is the last owner, and others are there
  }
  readonly keys?: 'hybrid' | 'classical' // absent where there are none: notes
  readonly missing: readonly string[] // names of people who could not be added yet, and are asked for again
  /** What was asked for and is not ordered yet. */
  readonly waiting: readonly ('add' | 'remove' | 'roles' | 'profile' | 'heal' | 'space')[]
  readonly space?: SpaceOfDetails // that it is of (C-10): its members and roles are those of the home
  readonly request?: RequestView
  readonly named?: ChannelNamed
}
export type MemberView = {
  readonly id: string // as an author or a person has it
  readonly name: string // '' for somebody of whom this account knows no name
  readonly role: Role
  readonly mine: boolean
  readonly devices: number
  readonly known: boolean // there is a page of this person
  readonly verified: boolean
  readonly canRemove: boolean
  readonly canShareTo?: true // came in later than the first messages that are here (C-11)
}
export type RequestView = { readonly from: string; readonly name: string } // who added this account
/** What is absent stays as it is. An empty picture takes it away. */
export type ProfileChange = {
  readonly title?: string // 1 to 64 characters
  readonly topic?: string // up to 512
  readonly avatar?: Uint8Array // up to 16 KiB
  readonly timerMs?: number
}
