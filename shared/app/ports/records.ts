import type {
  AccountId,
  Address,
  DeviceId,
  Head,
  InvitationId,
  MessageId,
  PostId,
  SeatId,
  Token,
  WakeLabel,
} from '#core/wire/ids.ts'
import type { SeatChanges } from '#core/wire/seats.ts'

/**
 * What the store keeps, a type for each table. Every record is sealed as it lies on disk; only row keys and their order
 * are readable there (K-04). Fields may be added as optional ones; anything else is a new record version.
 */
export type RecordOf = {
  /** One row each: 'account', 'device', 'realm', 'phrase'. */
  meta: AccountRecord | DeviceRecord | RealmRecord | PhraseRecord
  contacts: ContactRecord
  channels: ChannelRecord
  syncs: SyncRecord
  trees: PartRecord
  epochs: PartRecord
  ratchets: PartRecord
  pendings: PendingRecord
  lines: LineRecord
  lineIds: LineIdRecord
  outbox: OutboxRecord
  invitations: InvitationRecord
  claims: ClaimRecord
  intents: Intent
  drafts: { readonly text: string }
  reads: ReadRecord
  settings: SettingsRecord
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
}

export type DeviceRecord = {
  readonly kind: 'device'
  readonly deviceId: DeviceId
  readonly deviceName: string
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
  readonly mailbox: Address
  readonly mailboxToken: Token
  readonly mailboxOpened: boolean
  readonly mailCursor: number
  readonly publishedSequence: number // of the manifest that the realm has; 0 before the first
}

/** Until the backup ceremony is done (K-02). */
export type PhraseRecord = { readonly kind: 'phrase'; readonly entropy: Uint8Array }

export type ContactRecord = {
  readonly account: AccountId
  readonly name: string
  readonly manifest: Uint8Array
  readonly sequence: number
}

/** What the channel list shows; written with each message. */
export type ChannelRecord = {
  readonly title: string
  readonly kind: 'direct' | 'group'
  readonly state: 'joining' | 'open' | 'paused'
  readonly pausedBy?: 'forked' | 'broken'
  readonly lastText: string
  readonly lastAtMs: number
  readonly lastMessageId?: MessageId
  readonly lastState: 'waiting' | 'sent' | 'delivered' | 'failed' | 'theirs' | 'none'
  readonly theirs: number // lines of others so far: unread is what came after the count that was read
}

/** Where this device stands in a channel at the relay; written with each batch that is applied. */
export type SyncRecord = {
  readonly address: Address
  readonly seat: SeatId
  readonly token: Token
  readonly label: WakeLabel
  readonly opening?: boolean // the channel is still to be opened at the relay, with this seat
  readonly retoken?: Token // the joiner's own token, until the relay has taken it
  readonly joinedAt?: number // position of the commit that added this device; unknown until the first fetch
  readonly cursor: number
  readonly head: Head
  readonly heads: readonly { readonly position: number; readonly head: Head }[] // the last few, to compare with what members saw
  readonly commits: number
  readonly lastCommit: number
  readonly acked: number
  readonly ahead: readonly number[] // positions past the cursor that hold this device's own envelopes
  readonly keys: readonly { readonly commits: number; readonly key: Uint8Array }[] // outer keys by commit count
  readonly owed: readonly MessageId[] // receipts to send
  readonly wanted: readonly Wanted[] // changes of the group that wait for a commit
  readonly seats: readonly { readonly seat: SeatId; readonly deviceId: DeviceId }[]
}

/** A change of the group that this device means to make, whichever commit it will be in. */
export type Wanted =
  | { readonly want: 'heal'; readonly notBeforeMs: number }
  | { readonly want: 'add'; readonly claim: string } // the devices of that claim's inviter

/** A part of a group's state (core/mls encodeGroup), split by how often it changes. */
export type PartRecord = { readonly bytes: Uint8Array }

/** A commit that was staged and stored, and is not ordered yet (C-03). */
export type PendingRecord = {
  readonly id: PostId
  readonly after: number
  readonly commits: number
  readonly envelope: Uint8Array
  readonly seats: SeatChanges
  readonly welcomes: readonly { readonly drop: Uint8Array; readonly envelope: Uint8Array }[]
  readonly next: { readonly tree: Uint8Array; readonly epoch: Uint8Array; readonly ratchets: Uint8Array }
  readonly added: readonly { readonly seat: SeatId; readonly deviceId: DeviceId }[]
  readonly settles: readonly Wanted[]
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
    }
  | { readonly kind: 'unreadable'; readonly cause: string }
  | { readonly kind: 'notice'; readonly notice: 'joined' | 'forked'; readonly name: string }
)
export type LineState = 'waiting' | 'sent' | 'delivered' | 'failed'

export type LineIdRecord = { readonly order: number }

/** A body on its way out. The sealed form, once there is one, is sent again unchanged until it has a position (I-04). */
export type OutboxRecord = {
  readonly postId: PostId
  readonly body: Uint8Array
  readonly line?: { readonly order: number; readonly messageId: MessageId }
  readonly sealed?: { readonly commits: number; readonly envelope: Uint8Array }
  readonly attempts: number
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
}

export type ClaimRecord = {
  readonly id: InvitationId
  readonly secret: Uint8Array
  readonly claimSeed: Uint8Array
  readonly channelId: string
  readonly into?: string // add to this channel instead of making one
  readonly group?: { readonly title: string } // make a group instead of a channel of two
  readonly offer?: Uint8Array // the opened blob
}

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
}
