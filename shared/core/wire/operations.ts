import {
  ACCOUNT_BYTES,
  type AccountId,
  ADDRESS_BYTES,
  type Address,
  DEVICE_BYTES,
  type DeviceId,
  ENTRY_BYTES,
  type EntryId,
  HASH_BYTES,
  type Head,
  INVITATION_BYTES,
  type InvitationId,
  LABEL_BYTES,
  POST_ID_BYTES,
  type PostId,
  SEAT_BYTES,
  type SeatId,
  TOKEN_BYTES,
  type Token,
  type TokenHash,
  type WakeLabel,
} from './ids.ts'
import {
  MAX_BOX_BYTES,
  MAX_CHANNEL_NAME_UNITS,
  MAX_DROP_BYTES,
  MAX_ENVELOPE_BYTES,
  MAX_FETCH_ENVELOPES,
  MAX_INVITATION_BLOB_BYTES,
  MAX_JOIN_REQUEST_BYTES,
  MAX_KEY_PACKAGE_BYTES,
  MAX_LINK_BYTES,
  MAX_LINK_SLOT,
  MAX_LOG_ENTRIES,
  MAX_LOG_ENTRY_BYTES,
  MAX_MAILBOX_ITEMS,
  MAX_MANIFEST_BYTES,
  MAX_POSTS_PER_REQUEST,
  MAX_PROOF_HASHES,
  MAX_PUBLISHED_PACKAGES,
  MAX_SEATS,
  MAX_STASH_BYTES,
  MAX_STASH_PIECES,
  MAX_STATE_BYTES,
  MAX_TOLD,
  MAX_VAULT_BYTES,
  MAX_WELCOMES,
} from './limits.ts'
import { bool, bytes, fixed, list, object, oneOf, optional, type TypeOf, text, uint } from './schema.ts'
import { newSeat, seatChanges } from './seats.ts'

/**
 * Every operation of the relay, defined once and used by both sides: `args` is what a client sends, `reply` what it
 * gets. Operations run only inside an open Noise channel (T-01).
 */
const address = fixed<Address>(ADDRESS_BYTES)
const head = fixed<Head>(HASH_BYTES)
const label = fixed<WakeLabel>(LABEL_BYTES)
const token = fixed<Token>(TOKEN_BYTES)
const tokenHash = fixed<TokenHash>(HASH_BYTES)
const postId = fixed<PostId>(POST_ID_BYTES)
const nothing = object({})
const mailboxKey = { address, token }
const seatKey = { address, seat: fixed<SeatId>(SEAT_BYTES), token }
const entryKey = { address, entry: fixed<EntryId>(ENTRY_BYTES), token }
const logKey = { address, token }

/** A position in a channel's one order, and the hash chain there. */
export const place = object({ position: uint(), head })
export type Place = TypeOf<typeof place>

export const ordered = object({
  position: uint(),
  commits: uint(), // how many commits the channel had when this was sealed: which epoch's key opens it
  commit: bool, // was it ordered by `channel.commit`?
  id: postId,
  envelope: bytes(MAX_ENVELOPE_BYTES),
  seats: optional(seatChanges), // of a commit; its drops are empty
})
export type Ordered = TypeOf<typeof ordered>

export const mailItem = object({ n: uint(), envelope: bytes(MAX_ENVELOPE_BYTES) })
export type MailItem = TypeOf<typeof mailItem>

export const postResult = object({
  id: postId,
  /** stale: sealed too many commits ago (MAX_COMMITS_BEHIND); incomplete: the stash that it names is not whole (CHN22) */
  outcome: oneOf('ordered', 'stale', 'incomplete'),
  position: uint(), // of the envelope; of the channel's last commit when it was not ordered
})
export type PostResult = TypeOf<typeof postResult>

/** What a device of a member account needs to come back by itself; replaced with every commit (C-07). */
export const sealedState = object({
  info: bytes(MAX_STATE_BYTES),
  boxes: list(object({ entry: fixed<EntryId>(ENTRY_BYTES), box: bytes(MAX_BOX_BYTES) }), MAX_SEATS),
})
export type SealedState = TypeOf<typeof sealedState>

/** What opens an account's key ring; signed by the log's owner (docs/spec/keys.md). */
export const vaultRecord = object({
  number: uint(0xffff_ffff), // 1, 2, …: the compare and swap
  generation: uint(0xffff_ffff),
  tokenHash, // of the generation's log token
  body: bytes(MAX_VAULT_BYTES),
})
export type VaultRecord = TypeOf<typeof vaultRecord>
const signedVault = { vault: vaultRecord, signature: fixed(64) }

const logRow = object({
  position: uint(),
  before: head, // the chain's head before this entry
  bytes: bytes(MAX_LOG_ENTRY_BYTES),
})
export type LogRow = TypeOf<typeof logRow>
const logRows = { entries: list(logRow, MAX_LOG_ENTRIES), last: place, more: bool }
const newEntry = object({ id: postId, bytes: bytes(MAX_LOG_ENTRY_BYTES) })

const stashName = object({ id: fixed(16), pieces: uint(MAX_STASH_PIECES) })
/** `stash`: of the account's own, which its readers will ask for. */
const newPost = object({
  id: postId,
  commits: uint(),
  envelope: bytes(MAX_ENVELOPE_BYTES),
  stash: optional(stashName),
})

/** A key package and which mailbox a welcome for it goes to. */
const publishedFields = { keyPackage: bytes(MAX_KEY_PACKAGE_BYTES), drop: bytes(MAX_DROP_BYTES) }
const published = object(publishedFields)
const device = fixed<DeviceId>(DEVICE_BYTES)
const account = fixed<AccountId>(ACCOUNT_BYTES)
const proof = list(fixed(HASH_BYTES), MAX_PROOF_HASHES)
const channelName = text(MAX_CHANNEL_NAME_UNITS)
/** Which keys a key package has (MLS1); absent: 'xwing'. */
const packageSuite = optional(oneOf('xwing', 'classical'))
export type PackageSuite = NonNullable<TypeOf<typeof packageSuite>>

export const operations = {
  'session.hello': {
    args: object({ version: uint(255) }),
    /** `listKey`: by which the realm signs heads of its log of manifests (TRL2). */
    reply: object({ incarnation: fixed(16), version: uint(255), listKey: optional(fixed(32)) }),
  },

  /** `closer`: of a token that another device of the account may hold, to shut this mailbox for good (K-07). */
  'mailbox.open': { args: object({ address, tokenHash, closer: optional(tokenHash) }), reply: nothing },
  'mailbox.close': { args: object(mailboxKey), reply: nothing },
  /** From now on this connection gets the mailbox's pushes; one connection at a time, the newest. */
  'mailbox.attach': { args: object(mailboxKey), reply: nothing },
  'mailbox.fetch': {
    args: object({ ...mailboxKey, after: uint() }),
    reply: object({ items: list(mailItem, MAX_MAILBOX_ITEMS), labels: list(label, 4096), more: bool }),
  },
  /** Welcomes come to a mailbox without an address of their own (32 zero bytes): what is stored names no channel (T-06). */
  'mailbox.ack': {
    args: object({ ...mailboxKey, upTo: uint(), labels: list(label, 4096) }),
    reply: nothing,
  },
  /** Seals { this mailbox, label } as a drop, for whoever gives this device a seat. */
  'mailbox.drop': { args: object({ ...mailboxKey, label }), reply: object({ drop: bytes(MAX_DROP_BYTES) }) },

  'account.put': { args: object({ manifest: bytes(MAX_MANIFEST_BYTES) }), reply: nothing },
  'account.get': {
    args: object({ account: fixed<AccountId>(ACCOUNT_BYTES) }),
    reply: object({ manifest: optional(bytes(MAX_MANIFEST_BYTES)) }),
  },

  /** Replaces what the device has there of this suite; signed by the device, which the account's manifest lists (PKG1). */
  'packages.put': {
    args: object({
      account,
      device,
      suite: packageSuite,
      packages: list(published, MAX_PUBLISHED_PACKAGES),
      lastResort: published,
      signature: fixed(64),
    }),
    reply: nothing,
  },
  /** How many a device has left there. */
  'packages.count': {
    args: object({ account, device, suite: packageSuite }),
    reply: object({ left: uint(), lastResort: bool }),
  },
  /** One of each listed device, each given out once; the last resort when none is left (MLS10). */
  'packages.take': {
    args: object({ account, suite: packageSuite }),
    reply: object({ devices: list(object({ device, ...publishedFields }), 64) }),
  },

  /** The log of manifests (K-13): its newest head, signed by the realm. */
  'transparency.head': {
    args: nothing,
    reply: object({ size: uint(), root: fixed(HASH_BYTES), signature: fixed(64) }),
  },
  /** Where a manifest is in the log, and the path to the head of that size. */
  'transparency.leaf': {
    args: object({ account, sequence: uint(0xffff_ffff), size: uint() }),
    reply: object({ index: optional(uint()), path: proof }),
  },
  /** That the log of size `to` begins with the one of size `from`. */
  'transparency.growth': { args: object({ from: uint(), to: uint() }), reply: object({ path: proof }) },
  /** Every leaf of an account, for itself to look over: a device that nobody made is one too many. */
  'transparency.account': {
    args: object({ account, after: uint() }),
    reply: object({
      leaves: list(object({ index: uint(), sequence: uint(0xffff_ffff), hash: fixed(HASH_BYTES) }), 256),
      more: bool,
    }),
  },

  /** `org/namespace/service` for a channel at SHA-256 of that name (C-09); requests to join are sealed to `joinKey`. */
  'name.register': { args: object({ name: channelName, tokenHash, joinKey: fixed(32) }), reply: nothing },
  'name.find': { args: object({ name: channelName }), reply: object({ joinKey: optional(fixed(32)) }) },
  'name.ask': {
    args: object({ name: channelName, id: fixed(16), request: bytes(MAX_JOIN_REQUEST_BYTES) }),
    reply: nothing,
  },
  'name.asked': {
    args: object({ name: channelName, token }),
    reply: object({ requests: list(object({ id: fixed(16), request: bytes(MAX_JOIN_REQUEST_BYTES) }), 8), more: bool }),
  },
  'name.settle': { args: object({ name: channelName, token, id: fixed(16) }), reply: nothing },

  'invitation.put': {
    args: object({
      id: fixed<InvitationId>(INVITATION_BYTES),
      blob: bytes(MAX_INVITATION_BLOB_BYTES),
      expiresAtMs: uint(),
      tokenHash,
    }),
    reply: nothing,
  },
  /** Atomic and bound to `claimKey`: the same key gets the same answer again, anybody else 'invitation/used' (C-12). */
  'invitation.claim': {
    args: object({ id: fixed<InvitationId>(INVITATION_BYTES), claimKey: fixed(32), signature: fixed(64) }),
    reply: object({ blob: bytes(MAX_INVITATION_BLOB_BYTES) }),
  },
  'invitation.revoke': { args: object({ id: fixed<InvitationId>(INVITATION_BYTES), token }), reply: nothing },

  /** Idempotent for the same address and seat. */
  'channel.open': { args: object({ address, seat: newSeat }), reply: place },
  'channel.post': {
    args: object({
      ...seatKey,
      known: place,
      posts: list(newPost, MAX_POSTS_PER_REQUEST),
    }),
    reply: object({ results: list(postResult, MAX_POSTS_PER_REQUEST) }),
  },
  /** Compare and swap on the last commit's position (C-03): a loser gets 'channel/commit-lost' and fetches the winner. */
  'channel.commit': {
    args: object({
      ...seatKey,
      known: place,
      id: postId,
      after: uint(), // position of the last commit, 0 before the first
      envelope: bytes(MAX_ENVELOPE_BYTES),
      seats: seatChanges,
      welcomes: list(object({ drop: bytes(MAX_DROP_BYTES), envelope: bytes(MAX_ENVELOPE_BYTES) }), MAX_WELCOMES),
      state: optional(sealedState), // of the epoch that the commit begins
      stash: optional(stashName), // the tree, where it is too large to travel in the welcomes
    }),
    reply: object({ position: uint() }),
  },
  /** Pieces of a sealed tree or of shared history; kept for a day, or a fortnight once a commit or a post names them. */
  'channel.stash': {
    args: object({ ...seatKey, stash: stashName, n: uint(MAX_STASH_PIECES - 1), bytes: bytes(MAX_STASH_BYTES) }),
    reply: nothing,
  },
  'channel.unstash': {
    args: object({ ...seatKey, stash: fixed(16), n: uint(MAX_STASH_PIECES - 1) }),
    reply: object({ bytes: optional(bytes(MAX_STASH_BYTES)) }),
  },
  /** An external commit by a device of an account that has a place here: adds one seat of that entry, removes only such. */
  'channel.enter': {
    args: object({
      ...entryKey,
      id: postId,
      after: uint(), // as in channel.commit
      envelope: bytes(MAX_ENVELOPE_BYTES),
      seats: seatChanges,
      state: optional(sealedState),
    }),
    reply: object({ position: uint() }),
  },
  /** The newest sealed state and this entry's box, if the last commit that brought one left one for it. */
  'channel.state': {
    args: object(entryKey),
    reply: object({
      info: optional(bytes(MAX_STATE_BYTES)),
      box: optional(bytes(MAX_BOX_BYTES)),
      stash: optional(stashName), // in these pieces, where `info` is empty
      n: optional(uint()), // counts what members have left, to refuse it by
      at: uint(), // position of the commit of whose epoch they are, 0 when there is none
      last: place,
      commits: uint(),
      lastCommit: uint(),
    }),
  },
  /** The state of the epoch that there is, where no commit has left one: some living seats are told (CHN23). */
  'channel.ask': { args: object({ ...entryKey, refused: optional(uint()) }), reply: nothing },
  /** By a seat that was told, once an epoch: compare and swap on the last commit's position. */
  'channel.answer': {
    args: object({ ...seatKey, after: uint(), state: sealedState, stash: optional(stashName) }),
    reply: nothing,
  },
  'channel.piece': {
    args: object({ ...entryKey, n: uint(MAX_STASH_PIECES - 1) }),
    reply: object({ bytes: optional(bytes(MAX_STASH_BYTES)) }),
  },
  /** Makes the entry's token one that only its account knows. */
  'channel.reentry': { args: object({ ...entryKey, tokenHash }), reply: nothing },
  /** Seats of one's own entry are dead from here on; the leaf goes with the next commit (K-07). */
  'channel.expel': { args: object({ ...entryKey, seats: list(fixed<SeatId>(SEAT_BYTES), MAX_SEATS) }), reply: nothing },
  'channel.fetch': {
    args: object({ ...seatKey, after: uint() }),
    /**
     * `from` is the place that the envelopes follow: `after`, or where the seat was added (a joiner starts with after 0),
     * or further on when what lay between is gone (T-05): then the client knows that it missed something.
     */
    reply: object({
      envelopes: list(ordered, MAX_FETCH_ENVELOPES),
      from: place,
      last: place,
      commits: uint(),
      lastCommit: uint(), // its position, 0 when there is none
      wanted: optional(list(fixed<EntryId>(ENTRY_BYTES), MAX_TOLD)), // who waits for a state, if this seat was asked
    }),
  },
  'channel.ack': { args: object({ ...seatKey, upTo: uint() }), reply: nothing },
  /** A joiner's first act: the token that came with the welcome is known to whoever added the seat. */
  'channel.retoken': { args: object({ ...seatKey, tokenHash }), reply: nothing },

  /** Idempotent for the same record; from then on the log is its owner's (LOG1). */
  'log.open': { args: object({ address, owner: fixed(32), ...signedVault }), reply: nothing },
  /** Compare and swap on the position (LOG3). */
  'log.append': {
    args: object({ ...logKey, after: place, entries: list(newEntry, MAX_LOG_ENTRIES) }),
    reply: object({ position: uint() }),
  },
  /** Ascending, what follows `after`. */
  'log.fetch': { args: object({ ...logKey, after: uint() }), reply: object(logRows) },
  /** Descending, what comes before `before`; 0 for the newest. */
  'log.back': { args: object({ ...logKey, before: uint() }), reply: object(logRows) },
  /** Appends one entry and deletes those that it stands for (LOG5). */
  'log.compact': {
    args: object({ ...logKey, after: place, entry: newEntry, from: uint(), to: uint() }),
    reply: object({ position: uint() }),
  },
  /** Every append wakes this drop's label, until the generation changes or nobody asks for a month (LOG7). */
  'log.watch': { args: object({ ...logKey, drop: bytes(MAX_DROP_BYTES) }), reply: nothing },
  /** The address alone is enough: whoever has the words has nothing else yet. */
  'vault.get': {
    args: object({ address }),
    reply: object({ owner: optional(fixed(32)), vault: optional(vaultRecord), signature: optional(fixed(64)) }),
  },
  /** Compare and swap on its number; a new generation names the log's place, where the old one ends (LOG2). */
  'vault.put': { args: object({ address, ...signedVault, head: place }), reply: nothing },

  /** A meeting place of two devices for a quarter of an hour: slots that are written once (LNK1). */
  'link.put': {
    args: object({ address, slot: uint(MAX_LINK_SLOT), bytes: bytes(MAX_LINK_BYTES) }),
    reply: nothing,
  },
  'link.get': {
    args: object({ address, slot: uint(MAX_LINK_SLOT) }),
    reply: object({ bytes: optional(bytes(MAX_LINK_BYTES)) }),
  },
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
export type ArgsOf<O extends OperationName> = TypeOf<Operations[O]['args']>
export type ReplyOf<O extends OperationName> = TypeOf<Operations[O]['reply']>

/** What the relay sends unasked. */
export const pushes = {
  /** Something new in the channel that `label` stands for; small envelopes ride along. */
  wake: object({ label, carried: list(ordered, MAX_SEATS) }),
  mail: object({ item: mailItem }),
} as const

export type Pushes = typeof pushes
export type PushName = keyof Pushes
export type PushOf<P extends PushName> = TypeOf<Pushes[P]>
