/**
 * What a face (popup, side panel, web app tab) sees of Stave. Reading goes to the local store and works with no engine
 * and no network; acts are handed to the one engine of the origin, now or as soon as there is one (docs/architecture.md).
 */
export interface Face {
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

  createInvitation(): Promise<InvitationView>
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
    }
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

export type ChannelView = {
  readonly id: string
  readonly title: string
  readonly state: 'joining' | 'open' | 'paused'
  readonly lastText: string // '' when nothing was said yet
  readonly lastAtMs: number
  readonly lastState: LineState | 'theirs' | 'none'
  readonly unread: number
  readonly draft: string
}

export type LineState = 'waiting' | 'sent' | 'delivered' | 'failed'

export type Line = {
  readonly id: string
  readonly order: number // rises with place in the channel; a waiting message stands after all that are ordered
  readonly atMs: number
  readonly author: { readonly id: string; readonly name: string; readonly mine: boolean }
} & (
  | { readonly kind: 'text'; readonly text: string; readonly state: LineState; readonly failure?: string }
  | { readonly kind: 'unreadable'; readonly cause: string } // M-09: named, never silent
  | { readonly kind: 'notice'; readonly notice: 'joined' | 'forked'; readonly name: string }
)

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
}

export type Change =
  | { readonly what: 'account' | 'channels' | 'invitations' | 'settings' }
  | { readonly what: 'connection'; readonly connection: Connection }
  | { readonly what: 'lines' | 'arrived'; readonly channelId: string }
