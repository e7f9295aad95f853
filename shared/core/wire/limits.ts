/** Bounds that both sides enforce before they parse. Bytes unless a name says otherwise. */
const KIB = 1024

/** A Noise message holds 65,535 bytes (Noise rev. 34, section 3); frames stop at the largest bucket. */
export const MAX_FRAME_BYTES = 32 * KIB
/** A request or reply, joined from its frames. */
export const MAX_MESSAGE_BYTES = 1536 * KIB
export const MAX_ENVELOPE_BYTES = 1024 * KIB
export const MAX_SEATS = 1024
export const MAX_WELCOMES = 1024
export const MAX_DROP_BYTES = 256
export const MAX_MANIFEST_BYTES = 64 * KIB
export const MAX_INVITATION_BLOB_BYTES = 128 * KIB
export const MAX_POSTS_PER_REQUEST = 64
export const MAX_FETCH_ENVELOPES = 128
/** A reply to a fetch stops adding envelopes here, so that it stays well below a message. */
export const MAX_FETCH_BYTES = 1024 * KIB
export const MAX_MAILBOX_ITEMS = 64
/** A post sealed under a key this many commits old is refused: its sender seals it anew. */
export const MAX_COMMITS_BEHIND = 4
/** Small envelopes ride in the wake itself; larger ones are fetched. */
export const MAX_CARRIED_BYTES = 8 * KIB
/** UTF-8 length of one message's text (M-01). */
export const MAX_TEXT_BYTES = 64 * KIB
/** Requests that one connection may have unanswered. */
export const MAX_UNANSWERED_REQUESTS = 16
/** A vault: the sealed key ring and its doors. */
export const MAX_VAULT_BYTES = 128 * KIB
/** One entry of a log; a page of history is the largest. */
export const MAX_LOG_ENTRY_BYTES = 512 * KIB
export const MAX_LOG_ENTRIES = 64
export const MAX_LOG_WATCHERS = 64
export const MAX_LINK_BYTES = 128 * KIB
export const MAX_LINK_SLOT = 7
export const LINK_LIFETIME_MS = 15 * 60 * 1000
/** Sealed state of a channel, by which a device of a member account comes back (C-07). */
export const MAX_STATE_BYTES = 768 * KIB
export const MAX_BOX_BYTES = 256
/** Entries of which a seat is told at once that they wait for a state (CHN23). */
export const MAX_TOLD = 64
/** Key packages that a device leaves at its account, besides the last resort. */
export const MAX_PUBLISHED_PACKAGES = 32
export const MAX_KEY_PACKAGE_BYTES = 16 * KIB
/** A piece of a tree that is too large for a welcome or a commit. */
export const MAX_STASH_BYTES = 512 * KIB
export const MAX_STASH_PIECES = 64
/** A proof of the log of manifests: 32 bytes for each level, two sides for growth. */
export const MAX_PROOF_HASHES = 64
export const MAX_CHANNEL_NAME_UNITS = 96
export const MAX_JOIN_REQUEST_BYTES = 96 * KIB
export const MAX_JOIN_NOTE_UNITS = 280
export const INVITATION_MAX_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000
