import type { GroupFace, RequestView } from './face/group-face.ts'
import type { HealthFace, Muted } from './face/health-face.ts'
import type { HistoryFace } from './face/history-face.ts'
import type { InvitedInto, JoinFace } from './face/join-face.ts'
import type { SpaceFace, SpacePlace } from './face/space-face.ts'

export type * from './face/group-face.ts'
export type * from './face/health-face.ts'
export type * from './face/history-face.ts'
export type * from './face/join-face.ts'
export type * from './face/space-face.ts'

/**
 * What a face (popup, side panel, web app tab) sees of Stave. Reading goes to the local store and works with no engine
 * and no network; acts are handed to the one engine of the origin, now or as soon as there is one (docs/architecture.md).
 */
export interface Face extends GroupFace, HealthFace, HistoryFace, JoinFace, SpaceFace {
  /** Resolves from the store alone. Never makes anything. */
  account(): Promise<AccountView>
  channels(): Promise<readonly ChannelView[]>
  /** The newest `limit` lines before `before` (exclusive; newest of all when absent), oldest first. */
  lines(channelId: string, page: { readonly before?: number; readonly limit: number }): Promise<LinePage>
  invitations(): Promise<readonly InvitationView[]>

  connection(): Connection
  /** Calls back after what it names changed; the listener reads again. Returns the way to stop. */
  subscribe(listener: (change: Change) => void): () => void

  createIdentity(input: { readonly name: string; readonly deviceName: string }): Promise<void>
  /** The 24 words, while the backup ceremony is still open (K-02); afterwards this device no longer has them. */
  revealPhrase(): Promise<readonly string[]>
  /** @throws InputError 'phrase/word' with { position } for the first word that is not right (K-02) */
  confirmPhrase(answers: readonly { readonly position: number; readonly word: string }[]): Promise<void>

  /** Into a group as well, for who may add people there; `ask`: a person says yes to each first. @throws InputError 'group/not-allowed' */
  createInvitation(into?: { readonly channelId: string; readonly ask: boolean }): Promise<InvitationView>
  revokeInvitation(id: string): Promise<void>
  /** @throws InputError 'invitation/…' */
  acceptInvitation(link: string): Promise<{ readonly channelId: string }>

  /** Durable when it resolves, whatever the network does (U-03). @throws InputError 'text/too-long' */
  sendText(channelId: string, text: string): Promise<void>
  /** A message that could not go out: tried again, or taken back into the composer. */
  retry(channelId: string, messageId: string): Promise<void>
  discard(channelId: string, messageId: string): Promise<void>
  markRead(channelId: string, upToOrder: number): Promise<void>
  draft(channelId: string): Promise<string>
  saveDraft(channelId: string, text: string): Promise<void>

  /** Whose words these are, looked up at the realm before anything is made (K-03). @throws InputError 'phrase/…', 'restore/…' */
  lookUp(key: RestoreKey): Promise<FoundAccount>
  /** Makes this device one of that account's; history follows, see `work`. */
  restore(key: RestoreKey, input: { readonly deviceName: string }): Promise<void>
  /** Long work that is under way: restore, import, export (U-06). */
  work(): Promise<readonly Work[]>
  /** What came so far stays. */
  cancelWork(kind: Work['kind']): Promise<void>
  /** A restore that was stopped goes on. */
  resumeWork(kind: Work['kind']): Promise<void>

  /** K-06. The new device shows, the one with the words joins; both follow `linking` and change 'linking'. */
  linking(): Promise<Linking>
  showLink(input: { readonly deviceName: string; readonly realm?: string }): Promise<void>
  joinLink(code: string): Promise<void>
  /** The person says that both screens show the same digits. */
  confirmLink(): Promise<void>
  cancelLink(): Promise<void>

  devices(): Promise<readonly DeviceView[]>
  /** Revoke, rotate the keys, end its session: one act (K-07, K-08). */
  revokeDevice(deviceId: string): Promise<void>
  doors(): Promise<readonly DoorView[]>
  /** @returns the card that finds this door again (K-09) */
  addPassphraseDoor(passphrase: string): Promise<{ readonly card: string }>
  addPasskeyDoor(): Promise<void>
  removeDoor(doorId: string): Promise<void>
  /** Six words that make a good passphrase. */
  suggestPassphrase(): Promise<string>

  lock(): Promise<LockView>
  setLock(input: LockChoice): Promise<void>
  removeLock(): Promise<void>
  lockNow(): Promise<void>
  /** @throws InputError 'lock/wrong' */
  unlock(key: { readonly passphrase: string } | 'passkey'): Promise<void>
  /** Somebody is using this face: the time until it locks starts anew. */
  touch(): void

  /** An age-encrypted archive of everything that can be read, as it is being made (L-03). */
  exportArchive(passphrase: string): Promise<ReadableStream<Uint8Array>>
  importArchive(file: Blob, passphrase: string): Promise<void>

  /** Whom this account knows, by name. */
  people(): Promise<readonly PersonView[]>
  /** With what it takes to verify them (K-11). @throws InputError 'person/unknown' */
  person(id: string): Promise<PersonPage>
  markVerified(id: string, verified: boolean): Promise<void>
  /** @returns whether they show this code for this very account: then they are verified. @throws InputError 'person/code' */
  comparePersonCode(id: string, code: string): Promise<boolean>
  /** What the realm's directory did was looked at, and sending goes on. Of a person, or of 'own' or 'realm'. */
  lookedAt(id: string): Promise<void>
  /** What was found wrong with what the directory shows, newest first (K-13). */
  alarms(): Promise<readonly AlarmView[]>

  settings(): Promise<Settings>
  saveSettings(settings: Settings): Promise<void>
  /** Asks the browser to keep the data (U-07). */
  askPersistence(): Promise<'granted' | 'refused' | 'unsupported'>
}

export type AccountView =
  | { readonly state: 'none' }
  | {
      readonly state: 'ready'
      readonly name: string
      readonly deviceName: string
      readonly backedUp: boolean
      readonly fingerprint: string
      readonly holdsRoot: boolean // may this device link and revoke others?
      readonly unlisted?: true // it came by a passphrase or a passkey: it reads, and takes part once it was linked (K-09)
      readonly persistent: boolean // false: the browser may erase the keys (U-07)
    }
  /** K-10: nothing can be read until it is unlocked. */
  | { readonly state: 'locked'; readonly doors: readonly ('passphrase' | 'passkey')[] }
  /** Another device of the account revoked this one (K-07): what it had is gone. */
  | { readonly state: 'revoked' }
  /** Data are there but can't be used, or storage is refused: never a quiet new identity (U-07). */
  | { readonly state: 'blocked'; readonly problem: Problem }

export type Problem =
  | 'storage-refused' // private mode, or the browser forbids IndexedDB
  | 'storage-full'
  | 'keys-missing' // rows are left, the keys that open them are gone
  | 'data-missing' // keys are left, the rows are gone
  | 'newer-data' // written by a later version of Stave
  | 'broken-data'
  | 'unsupported-browser' // a needed feature is missing (Ed25519, X25519, Web Locks)

/** What opens an account on a new device (K-09). The realm: where to look, the app's own when absent. */
export type RestoreKey =
  | { readonly by: 'phrase'; readonly words: string; readonly realm?: string }
  | { readonly by: 'passphrase'; readonly card: string; readonly passphrase: string }
  | { readonly by: 'passkey'; readonly realm?: string }
export type FoundAccount = {
  readonly name: string // '' when its log says none
  readonly fingerprint: string
  readonly devices: number
}

export type Work = {
  readonly kind: 'restore' | 'import' | 'export' | 'share' | 'take' // share, take: earlier messages, to and from others (C-11)
  readonly done: number // messages
  readonly total: number // 0 while it is not known
  readonly state: 'running' | 'waiting' | 'stopped' | 'failed' // waiting: for the network; stopped: by the person
  readonly problem?: string // code
}

export type Linking =
  | { readonly state: 'none' }
  /** On the new device: to be scanned or typed on the other. */
  | { readonly state: 'showing'; readonly link: string; readonly code: string; readonly expiresAtMs: number }
  | { readonly state: 'connecting' }
  | {
      readonly state: 'comparing'
      readonly side: 'new' | 'holder'
      readonly digits: string // twelve
      readonly peer: string // the other's name, '' before it is known
      readonly confirmed: boolean // here
    }
  | { readonly state: 'finishing' }
  | { readonly state: 'done'; readonly peer: string }
  | { readonly state: 'failed'; readonly why: string } // 'link/expired', 'link/cancelled', 'link/key', 'link/used', …

export type DeviceView = {
  readonly id: string
  readonly name: string
  readonly kind: 'web' | 'extension'
  readonly here: boolean
  readonly holdsRoot: boolean
  readonly linkedBy: string // name of a device; '' for one that was set up from the words
  readonly seenDay: number // days since 1970, from the log
  /** Being revoked, and how far that is; a device that is revoked stays in the list until all is done. */
  readonly revoking?: { readonly step: 'manifest' | 'keys' | 'channels'; readonly left: number }
}
export type DoorView = {
  readonly id: string
  readonly kind: 'phrase' | 'device' | 'passphrase' | 'passkey'
  readonly name: string
}

export type LockView = {
  readonly state: 'off' | 'unlocked' | 'locked'
  readonly by?: 'passphrase' | 'passkey'
  readonly afterMinutes?: number
}
export type LockChoice = { readonly afterMinutes: number } & (
  | { readonly by: 'passphrase'; readonly passphrase: string }
  | { readonly by: 'passkey' }
)

export type PersonView = {
  readonly id: string // as an author has it
  readonly name: string
  readonly fingerprint: string
  readonly verified: boolean
  readonly verifiedAtMs?: number
  readonly sameName: boolean // somebody else whom this account knows has the same name
  readonly problem?: PersonProblem // the newest that was not looked at
  readonly stopped: boolean // nothing is sent to them until it was: messages fail with 'contact/look' (K-11)
  readonly blocked?: true // M-11
}
export type PersonPage = PersonView & {
  readonly safetyNumber: string // sixty digits
  readonly code: string // base64url of the bytes of the QR code
}
export type PersonProblem = { readonly kind: AlarmKind; readonly atMs: number }
export type AlarmKind =
  | 'key-swap' // the directory gave another person's keys, or another manifest of the same number
  | 'rollback' // it shows an older state than before
  | 'withheld' // it keeps back a change that the person themselves speaks of
  | 'split-view' // it shows two people two logs
  | 'hidden-device' // a manifest of this account that no device of it knows of
  | 'unlogged' // what it gave is not in its log
  | 'unsigned' // it does not sign its log by the key that it first named
  | 'same-name' // somebody new with the name of a person who is verified
export type AlarmView = {
  readonly about: string // a person's id, 'own' or 'realm'
  readonly name: string // of that person
  readonly kind: AlarmKind
  readonly atMs: number
  readonly looked: boolean
  readonly proof?: string // for anybody else to check, as text (TRC12)
}

export type ChannelView = {
  readonly id: string
  readonly kind: 'direct' | 'group' | 'notes'
  readonly title: string
  readonly state: 'joining' | 'returning' | 'open' | 'paused' // returning: this device comes back in (C-07)
  readonly lastText: string // '' when nothing was said yet
  readonly lastAtMs: number
  readonly lastState: LineState | 'theirs' | 'none'
  readonly unread: number
  readonly draft: string
  readonly avatar?: Uint8Array // of a group that has a picture (C-13)
  readonly forked?: true // paused until it is repaired (C-06)
  readonly muted?: Muted // while it is
  readonly archived?: true
  readonly blocked?: true // a conversation of two with somebody who is
  readonly request?: RequestView // it is not accepted yet (M-11)
  readonly asking?: number // who waits to be let in (C-09, C-12)
  readonly space?: SpacePlace // that it is of (C-10)
  /** What was said stays: this account has left, was removed, or the other of two has left. */
  readonly left?: 'left' | 'removed' | 'ended'
}

export type LineState = 'waiting' | 'sent' | 'delivered' | 'failed'

export type Line = {
  readonly id: string
  readonly order: number // rises with place in the channel; a waiting message stands after all that are ordered
  readonly atMs: number
  readonly author: { readonly id: string; readonly name: string; readonly mine: boolean }
} & (
  | {
      readonly kind: 'text'
      readonly text: string
      readonly state: LineState
      readonly failure?: string
      readonly aside?: true // seen before the repair: others may not have it (C-06)
      readonly vanishesAtMs?: number // on this device (M-04)
      readonly sharedBy?: { readonly id: string; readonly name: string } // nothing proves that its author said it (C-11)
    }
  | { readonly kind: 'unreadable'; readonly cause: string } // M-09: named, never silent
  | { readonly kind: 'notice'; readonly notice: 'joined' | 'forked' | 'gap' | 'repaired'; readonly name: string }
  | GroupNotice
)
/** What a commit has changed of the group: by whom, and who or what. */
export type GroupNotice = {
  readonly kind: 'group'
  readonly notice: 'added' | 'removed' | 'left' | 'role' | 'title' | 'topic' | 'avatar' | 'timer' | 'shared' | 'space'
  readonly by: string // a name, '' for somebody unknown
  readonly names: readonly string[] // whom it is about; at most 8
  readonly count: number // how many in all
  readonly value: string // the role, the title, the topic, the timer in ms, how many messages; of a space 'listed', 'unlisted', 'out'
  readonly me?: true // it is about this account as well
}

export type LinePage = {
  readonly lines: readonly Line[]
  readonly hasOlder: boolean
  readonly readUpTo: number // order of the last line that was read: the unread line goes after it
}

export type InvitationView = {
  readonly id: string
  readonly link: string
  readonly expiresAtMs: number
  readonly state: 'open' | 'used' | 'expired' | 'revoked'
  readonly channelId?: string // the conversation that came of it
  readonly into?: InvitedInto
}

export type Connection =
  | { readonly state: 'offline' | 'connecting' | 'online' }
  | { readonly state: 'idle' } // no realm yet: nothing to connect to, and nothing wrong
  | { readonly state: 'refused'; readonly why: 'wrong-realm' | 'older-client' | 'quota' }

export type Settings = {
  readonly language: 'auto' | 'en' | 'es'
  readonly theme: 'auto' | 'light' | 'dark' | 'contrast'
  readonly density: 'comfortable' | 'compact'
  readonly enterSends: boolean
  readonly cover: 'off' | 'light' // T-03
  readonly remindAfterMs?: number // the reminder to back up was put away until then (K-02)
}

export type Change =
  | { readonly what: 'account' | 'channels' | 'invitations' | 'settings' | 'devices' | 'linking' | 'work' | 'lock' }
  | { readonly what: 'people' } // and what was found wrong with the directory
  | { readonly what: 'connection'; readonly connection: Connection }
  | { readonly what: 'lines' | 'arrived'; readonly channelId: string }
