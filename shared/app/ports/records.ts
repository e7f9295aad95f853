import type { TwoLogs } from '#core/identity/two-logs.ts'
import type { DeltaOf } from '#core/log/delta.ts'
import type { Covers } from '#core/log/entry.ts'
import type { Gap } from '#core/log/follow.ts'
import type { ClaimedManifest, LogHead } from '#core/message/body.ts'
import type { Offer } from '#core/message/offer.ts'
import type { AccountPlace, SeatPlace } from '#core/message/roster.ts'
import type { Profile, ProfileChange, Role, RoleChange, SpacePart, SuiteId } from '#core/mls/index.ts'
import type {
  AccountId,
  Address,
  DeviceId,
  EntryId,
  Head,
  InvitationId,
  MessageId,
  PostId,
  SeatId,
  Token,
  WakeLabel,
} from '#core/wire/ids.ts'
import type { SealedState } from '#core/wire/operations.ts'
import type { SeatChanges } from '#core/wire/seats.ts'
import type { AlarmKind, GroupNotice } from '../face.ts'
import type { AskRecord, JoinRecord, NamedRecord } from './join-records.ts'
import type { SharedInPost, ShareRecord } from './share-records.ts'

/**
 * What the store keeps, a type for each table. Every record is sealed as it lies on disk; only row keys and their order
 * are readable there (K-04). Fields may be added as optional ones; anything else is a new record version.
 */
export type RecordOf = {
  /** One row each, under the name of its kind. */
  meta:
    | AccountRecord
    | DeviceRecord
    | RealmRecord
    | PhraseRecord
    | KeyRingRecord
    | LogRecord
    | ManifestChangeRecord
    | RestoreRecord
    | ImportRecord
    | TransparencyRecord
  contacts: ContactRecord
  channels: ChannelRecord
  syncs: SyncRecord
  nodes: PartRecord
  epochs: PartRecord
  ratchets: PartRecord
  pendings: PendingRecord
  enters: EnterRecord
  lines: LineRecord
  lineIds: LineIdRecord
  outbox: OutboxRecord
  invitations: InvitationRecord
  claims: ClaimRecord
  packages: PackageRecord
  offers: OfferRecord
  intents: Intent
  drafts: { readonly text: string }
  reads: ReadRecord
  settings: SettingsRecord
  deltas: DeltaRecord
  logged: LoggedRecord
  blocks: BlockRecord
  blockIds: BlockIdsRecord
  tasks: TaskRecord
  views: ViewRecord
  joins: JoinRecord
  asks: AskRecord
  shares: ShareRecord
  vanishing: VanishingRecord
  /** Parts of `syncs` and `channels`, which the store puts together again (docs/spec/store.md). */
  rosters: Pick<SyncRecord, 'seats' | 'accounts'>
  looks: Pick<ChannelRecord, 'profile' | 'roles' | 'names'>
  agreed: { readonly position: number }
  /** Where the chain stood at the last few places. */
  heads: { readonly head: Head }
}

export type TableName = keyof RecordOf

export type AccountRecord = {
  readonly kind: 'account'
  readonly account: AccountId
  readonly name: string
  readonly manifest: Uint8Array
  readonly sequence: number
  readonly backedUp: boolean
  readonly rootSeed?: Uint8Array // only where the identity was set up from its phrase
  readonly revoked?: true // this device is not in the newest manifest
}

export type DeviceRecord = {
  readonly kind: 'device'
  readonly deviceId: DeviceId
  readonly deviceName: string
  readonly deviceKind: 'web' | 'extension'
  readonly linkedBy?: DeviceId
  readonly unlisted?: true // set up from the words and not in the manifest yet: its absence there is no revocation
  readonly certificate: Uint8Array
  readonly signatureKey: Uint8Array
  readonly hpkeKey: Uint8Array
}

export type RealmRecord = {
  readonly kind: 'realm'
  readonly origin: string
  readonly noiseKey: Uint8Array
  readonly keyFrom: 'invitation' | 'first-use' // T-01 is claimed for the first alone
  readonly incarnation?: Uint8Array
  readonly listKey?: Uint8Array // as the realm said it last (TRL2)
  readonly mailbox: Address
  readonly mailboxToken: Token
  readonly mailboxCloser?: Token // by which another device of the account shuts this mailbox (K-07); the account's log has it
  readonly mailboxOpened: boolean
  readonly mailCursor: number
}

/** The account's key ring (docs/spec/keys.md), encoded; what a linked device has in place of the root. */
export type KeyRingRecord = {
  readonly kind: 'keyRing'
  readonly bytes: Uint8Array
  readonly vaultNumber: number // of the vault at the realm that holds it; 0 until the log is opened there
  readonly settledFor?: number // sequence of the manifest to which that vault's doors were fitted
  readonly doors?: readonly KnownDoor[] // that vault's
  readonly phraseDoorSeed?: Uint8Array // after a restore from the words, until the vault has a door for this device
}

export type KnownDoor = {
  readonly id: string
  readonly kind: 'phrase' | 'device' | 'passphrase' | 'passkey'
  readonly name: string
}

/** A manifest that is signed and not known to be at the realm yet: shown to nobody until then (K-05). */
export type ManifestChangeRecord = {
  readonly kind: 'manifestChange'
  readonly manifest: Uint8Array
  readonly sequence: number
}

/** How far this device is with the account's log (L-01). Written in the turn 'log' alone. */
export type LogRecord = {
  readonly kind: 'log'
  readonly begun?: true // this device has seen it at the realm
  readonly position: number // pulled and applied up to here
  readonly head: Head
  readonly gaps?: readonly Gap[] // rows that are not there any more and that no page has stood for yet (LGE4)
  readonly lastStamp: number // hybrid clock
  readonly singles: number // entries past the last page
  readonly vanishing?: readonly VanishingPlace[] | undefined
  readonly label: WakeLabel
  readonly watched?: { readonly day: number; readonly generation: number } // when the watch was last renewed
  readonly refused?: number // entries that did not open, or were not the account's any more (KRG3)
}

/** Rows of the log that hold something that vanishes, and when the first of it does (VAN5). */
export type VanishingPlace = { readonly from: number; readonly to: number; readonly atMs: number }

/** History that is still to come, newest first (K-03). Gone when all of it is here. */
export type RestoreRecord = {
  readonly kind: 'restore'
  readonly from: number // where it began
  readonly before: number // everything from this position on is applied
  readonly head: Head // of the chain before it
  readonly covers?: readonly Covers[] // of the pages so far, further back: what is not there any more is in them (LGE4)
  readonly done: number // messages
  readonly missing?: true // the relay keeps something back, or has lost it
  readonly stopped?: true // by the person; what came stays
}

/** How far an archive was read in; the same one goes on from there. Gone at its end (L-03). */
export type ImportRecord = { readonly kind: 'import'; readonly id: Uint8Array; readonly next: number }

/** Until the backup ceremony is done (K-02). */
export type PhraseRecord = { readonly kind: 'phrase'; readonly entropy: Uint8Array }

export type ContactRecord = {
  readonly account: AccountId
  readonly name: string
  readonly manifest: Uint8Array
  readonly sequence: number
  readonly lookUpAtMs?: number // when the realm is to be asked for a newer manifest
  readonly verified?: Verified
  readonly logged?: number // sequence of the manifest that was last found in the realm's log of manifests (K-13)
  readonly blocked?: Word // M-11
}

/** What the person last said of it; goes to the account's other devices by its sealed log alone (K-11). */
export type Verified = Word
/** Yes or no, and when the person said so: of two words the later counts, on all devices of the account. */
export type Word = { readonly is: boolean; readonly atMs: number }
/** Without an end as long as it is so. */
export type MutedWord = Word & { readonly untilMs?: number }

/** The realm's log of manifests as this device knows it, and what was found wrong (K-13). Written in the turn 'realm' alone. */
export type TransparencyRecord = {
  readonly kind: 'transparency'
  readonly head?: LogHead // the newest that is known to go on from those before
  readonly listKey?: Uint8Array // by which the realm signs them, from the first time on (TRC11)
  readonly ownUpTo: number // leaves before this were looked through for this account's
  readonly own: readonly ClaimedManifest[] // manifests that this account had, the newest last
  readonly ownLogged?: number // sequence of the newest that was found in the log
  readonly waiting: readonly { readonly account: AccountId; readonly sequence: number; readonly sinceMs: number }[]
  readonly alarms: readonly AlarmRecord[]
}

/** What somebody's message said of the directory, until it was compared (TRC2). */
export type ViewRecord = {
  readonly by: AccountId
  readonly view?: LogHead | undefined
  readonly own?: ClaimedManifest | undefined
  readonly theirs?: ClaimedManifest | undefined // of this account
}

export type AlarmRecord = {
  readonly kind: AlarmKind
  readonly about?: AccountId // the own account too; absent: the realm as a whole
  readonly evidence: Uint8Array // hash of what was shown: once looked at, the same is no news
  readonly twoLogs?: TwoLogs // what others can check for themselves (TRC12)
  readonly atMs: number
  readonly looked?: true
}

/** Lines that wait to be appended to the log (L-01), one a row; or what an entry of this device's own took there. */
export type DeltaRecord = { readonly lines: readonly { readonly channelId: string; readonly order: number }[] }

/** Bookkeeping as the log has it, or is to have it: what differs from the store was changed since. */
export type LoggedRecord = {
  readonly stamp: number
  readonly by: DeviceId
  readonly hash: Uint8Array
  readonly position?: number // where in the log it stands; absent: still to be appended
  readonly device?: LoggedDevice
}
export type LoggedDevice = Omit<DeltaOf<'device'>, 'kind' | 'at'>

/** About fifty lines of history in one record: ten times cheaper to write than rows. Keyed by channel and first order. */
export type BlockRecord = {
  readonly lines: readonly { readonly order: number; readonly line: LineRecord }[]
  readonly last: number
}

/** The first 8 bytes of ids of messages in blocks, one after the other, and where each stands. */
export type BlockIdsRecord = { readonly ids: Uint8Array; readonly orders: readonly number[] }

/** Work of several steps that goes on after a crash. */
export type TaskRecord = {
  readonly task: 'revoke'
  readonly deviceId: DeviceId
  readonly step: 'manifest' | 'keys' | 'channels'
  readonly from: number // generation of the key ring when it began: a later one is due
  readonly channels: readonly string[] // still to be done
}

/** What the channel list shows; written with each message. */
export type ChannelRecord = {
  readonly title: string
  readonly kind: 'direct' | 'group' | 'notes'
  readonly address?: Address // where it is at the relay, and how to come back (C-07); absent for what lies on this device alone
  readonly entry?: { readonly id: EntryId; readonly token: Token }
  readonly lostAtMs?: number // since when this device's own state leads nowhere
  readonly shut?: true // the relay says that the account has no place; while a void commit may have done that (CHN15), this device asks on
  readonly cameBackAtMs?: number // when this device last came in by itself
  readonly logged?: number // order up to which the account's log has its lines
  readonly state: 'joining' | 'returning' | 'open' | 'paused'
  readonly pausedBy?: 'forked' | 'broken' | 'removed'
  readonly pausedAtMs?: number
  readonly repair?: RepairRecord // it goes on with what the relay shows now, as soon as this device is in again (C-06)
  readonly repaired?: true // once: messages may stand elsewhere than where the log has them
  readonly muted?: MutedWord // M-11
  readonly archived?: Word
  readonly unreadable?: readonly number[] // where lines stood that did not open, the newest of them (M-09)
  readonly lastText: string
  readonly lastAtMs: number
  readonly lastMessageId?: MessageId
  readonly lastState: 'waiting' | 'sent' | 'delivered' | 'failed' | 'theirs' | 'none'
  readonly theirs: number // lines of others so far: unread is what came after the count that was read
  readonly profile?: Omit<Profile, 'title'> // what the group's own state says of it (C-13)
  readonly roles?: readonly RoleChange[] // of those who are more than members
  readonly suite?: SuiteId // of the group's keys (MLS1)
  readonly space?: SpacePart // what the group says that it is of a space (C-10)
  readonly spaceSeen?: true // the home said so too, and its members were these: not looked at again (SPC3)
  readonly toList?: true // this device made it for a space, whose home is to list it still (SPC10)
  readonly names?: readonly { readonly account: AccountId; readonly name: string }[] // as members call themselves here
  readonly named?: NamedRecord // it can be found by a name (C-09)
  readonly request?: RequestRecord // somebody who is no contact has added this account (M-11)
  readonly putOut?: readonly AccountId[] // who was taken out and not brought in since: a link alone does not bring them back
  readonly leavers?: readonly AccountId[] // who has said that they leave, until their devices are gone
  readonly hasShared?: true // lines that somebody shared with this account (C-11)
  readonly leaving?: true // this account leaves; when that is said and its seats are dead, it has left
  readonly left?: 'left' | 'ended' // it has, or the other of two has
}

export type RequestRecord = Pick<ContactRecord, 'account' | 'name' | 'manifest' | 'sequence'>

/** The last place up to which members are known to have seen the same; what this device has after it may be its own side's alone. */
export type RepairRecord = { readonly after: number }

/** Where this device stands in a channel at the relay; written with each batch that is applied. */
export type SyncRecord = {
  readonly address: Address
  readonly seat: SeatId
  readonly token: Token
  readonly label: WakeLabel
  readonly opening?: boolean // the channel is still to be opened at the relay, with this seat
  readonly retoken?: Token // the joiner's own token, until the relay has taken it
  readonly reentry?: Token // the same for the account's entry
  readonly joinedAt?: number // position of the commit that added this device; unknown until the first fetch
  readonly cursor: number
  readonly head: Head
  readonly commits: number
  readonly lastCommit: number
  readonly acked: number
  readonly goneOnUpTo?: number // what stands up to there and shows another story is none that the person has not heard of (FRK2)
  readonly keys: readonly { readonly commits: number; readonly key: Uint8Array }[] // outer keys by commit count
  readonly owed: readonly MessageId[] // receipts to send
  readonly wanted: readonly Wanted[] // changes of the group that wait for a commit
  readonly stateWanted?: { readonly entries: readonly EntryId[]; readonly notBeforeMs: number } // by devices that come back (BCK6)
  readonly later?: readonly Later[] // people who had left nothing by which to add them
  readonly seats: readonly SeatPlace[]
  readonly accounts: readonly AccountPlace[]
  readonly seams?: readonly Seam[] // stretches that this device could not open, and has asked for
  readonly told?: ToldView // what was last said here of the directory
  readonly committedAtMs?: number // when a commit was last seen, anybody's
  readonly healedAtMs?: number // when this device last brought new keys (C-08)
  readonly nextHealMs?: number
  readonly asked?: readonly Asked[] // what others could not open, and this account's devices are to send again
}

/** Asked for again until then (GRP7). */
export type Later = { readonly account: AccountId; readonly notBeforeMs: number; readonly untilMs: number }

/** What members of the channel were told of the directory (TRC1), and in how many messages it is told again. */
export type ToldView = {
  readonly size: number
  readonly sequence: number
  readonly accounts: number
  readonly left: number
}

/** What lies after one place and before the other was not for this device's leaf (C-07). */
export type Seam = {
  readonly ask: MessageId
  readonly after: number
  readonly upTo: number
  readonly at: number // where a line says so
  readonly waiting: readonly AccountId[] // accounts that have not answered
  readonly untilMs?: number // of a large channel: nobody is waited for (SEAM5)
  readonly gone?: true // somebody who was there is not any more: the line stays
}
/** A place at which that account's last message showed the same chain as this device has: one row each (C-06). */
export type Agreed = { readonly account: AccountId; readonly position: number }
export type Asked = {
  readonly ask: MessageId
  readonly after: number
  readonly upTo: number
  readonly notBeforeMs: number
}

/** A change of the group that this device means to make, whichever commit it will be in. */
export type Wanted =
  | { readonly want: 'heal'; readonly notBeforeMs: number; readonly forState?: true } // forState: any other commit does as well
  | { readonly want: 'add'; readonly claim: string } // the devices of that claim's inviter
  | { readonly want: 'person'; readonly account: AccountId; readonly offer: string } // devices by their published key packages (C-02)
  | { readonly want: 'exclude'; readonly account: AccountId; readonly notBeforeMs: number } // all devices of an account
  | { readonly want: 'role'; readonly account: AccountId; readonly role: Role }
  | { readonly want: 'profile'; readonly change: ProfileChange }
  | { readonly want: 'list'; readonly channel: Address; readonly listed: boolean } // of a space's home (C-10)
  | { readonly want: 'leave-space' } // of a channel
  /** A device that its account's newest manifest does not list any more (K-07). */
  | { readonly want: 'remove'; readonly account: AccountId; readonly deviceId: DeviceId; readonly notBeforeMs: number }

/** A row of a group's state (core/mls encodeGroup), keyed by channel and number. */
export type PartRecord = { readonly bytes: Uint8Array }

/** A commit that was staged and stored, and is not ordered yet (C-03). */
export type PendingRecord = {
  readonly id: PostId
  readonly after: number
  readonly commits: number
  readonly envelope: Uint8Array
  readonly seats: SeatChanges
  readonly welcomes: readonly { readonly drop: Uint8Array; readonly envelope: Uint8Array }[]
  readonly state?: SealedState // for devices that come back in the epoch that it begins (C-07)
  readonly stash?: { readonly id: Uint8Array; readonly pieces: readonly Uint8Array[] } // for newcomers, where it is large
  readonly next: Uint8Array // what it changes of the group (core/mls encodeStaged)
  readonly added: readonly { readonly leaf: number; readonly account: AccountId }[]
  readonly removed: readonly number[] // leaves
  readonly manifests: readonly Uint8Array[]
  readonly settles: readonly Wanted[]
  readonly notBeforeMs?: number // the relay has no room for it before that
}

/** A commit by which this device comes into a channel by itself, staged and not known to be ordered (C-07). */
export type EnterRecord = {
  readonly id: PostId
  readonly after: number
  readonly envelope: Uint8Array
  readonly seats: SeatChanges
  readonly state?: SealedState
  readonly next: Uint8Array // the whole group (core/mls encodeStaged)
  readonly sync: SyncRecord // as it is once the commit is ordered
  readonly kind: 'direct' | 'group'
  readonly title: string
  readonly names?: ChannelRecord['names']
}

export type LineRecord = {
  readonly messageId: MessageId
  readonly author: AccountId
  readonly atMs: number
  readonly mine: boolean
  readonly theirs: number // lines of others up to and with this one
  readonly postId?: PostId
} & (
  | {
      readonly kind: 'text'
      readonly text: string
      readonly state: LineState
      readonly failure?: string
      readonly delivered?: number
      readonly aside?: true // from before a repair, and not said again since: others may not have it (C-06)
      readonly vanishesAtMs?: number // by this device's clock (M-04)
      readonly sharedBy?: AccountId // who shared it with this account: nothing proves that its author said it (C-11)
    }
  | { readonly kind: 'unreadable'; readonly cause: string }
  | { readonly kind: 'notice'; readonly notice: Notice; readonly name: string }
  | GroupNoticeRecord
)
/** What a commit has changed of the group; its author is who did. */
export type GroupNoticeRecord = {
  readonly kind: 'group'
  readonly notice: GroupNotice['notice']
  readonly accounts: readonly AccountId[] // whom it is about, the first few
  readonly count: number
  readonly value: string
}
export type Notice = 'joined' | 'forked' | 'gap' | 'repaired'
export type LineState = 'waiting' | 'sent' | 'delivered' | 'failed'

/** Messages that vanish at the time in the key; or, by its id, one that has: it does not come again (M-04). */
export type VanishingRecord = { readonly ids: readonly MessageId[] } | { readonly goneAtMs: number }

export type LineIdRecord = { readonly order: number }

/** A body on its way out. The sealed form, once there is one, is sent again unchanged until it has a position (I-04). */
export type OutboxRecord = {
  readonly postId: PostId
  readonly body: Uint8Array
  readonly line?: { readonly order: number; readonly messageId: MessageId }
  readonly sealed?: { readonly commits: number; readonly envelope: Uint8Array }
  readonly attempts: number // seals under this id, of which the relay has called none stale
  readonly timerMs?: number // after which it vanishes, as its sealed form says
  readonly shared?: SharedInPost // it tells of earlier messages, which lie in a stash (C-11)
}

export type InvitationRecord = {
  readonly id: InvitationId
  readonly secret: Uint8Array
  readonly token: Token
  readonly label: WakeLabel
  readonly expiresAtMs: number
  readonly state: 'open' | 'used' | 'revoked'
  readonly link: string
  readonly published: boolean
  readonly blob: Uint8Array
  readonly keyPackage: Uint8Array
  readonly keyPackageRef: Uint8Array
  readonly keyPackageSecret: Uint8Array
  readonly channelId?: string // the conversation that came of it
  readonly into?: { readonly channelId: string; readonly ask: boolean } // whoever claims it comes in there too, or is asked about
}

export type ClaimRecord = {
  readonly id: InvitationId
  readonly secret: Uint8Array
  readonly claimSeed: Uint8Array
  readonly channelId: string
  readonly into?: string // add to this channel instead of making one
  readonly group?: { readonly title: string } // make a group instead of a channel of two
  readonly offer?: Uint8Array // the opened blob, once it was accepted
  readonly looking?: true // the person still reads what it is an invitation to
  readonly seen?: Uint8Array // the opened blob meanwhile
}

/** A key package that this device has left at its account, until a welcome for it came or its time is over (C-02). */
export type PackageRecord = {
  readonly ref: Uint8Array
  readonly keyPackage: Uint8Array
  readonly secret: Uint8Array
  readonly suite?: SuiteId // absent: the default one
  readonly label: WakeLabel
  readonly madeAtMs: number
  readonly notAfterMs: number
  readonly published?: true // the realm has taken it
  readonly lastResort?: true
  readonly used?: true // a last resort stays good until another one is in its place
}

/** Key packages that were taken for somebody, until the commit that adds them is settled. */
export type OfferRecord = { readonly account: AccountId } & Pick<Offer, 'manifest' | 'devices'>

/** What a face asks for durably, in order; the engine carries it out and deletes the row in one transaction (U-03, U-04). */
export type Intent =
  | {
      readonly intent: 'text'
      readonly channelId: string
      readonly messageId: MessageId
      readonly text: string
      readonly atMs: number
    }
  | { readonly intent: 'retry' | 'discard'; readonly channelId: string; readonly messageId: MessageId }

export type ReadRecord = { readonly order: number; readonly theirs: number }

export type SettingsRecord = {
  readonly language: 'auto' | 'en' | 'es'
  readonly theme: 'auto' | 'light' | 'dark' | 'contrast'
  readonly density: 'comfortable' | 'compact'
  readonly enterSends: boolean
  readonly cover: 'off' | 'light'
  readonly remindAfterMs?: number
}
