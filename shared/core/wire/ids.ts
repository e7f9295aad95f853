/** Ids are opaque random bytes unless said otherwise; the brand keeps one kind from being passed for another. */
export type AccountId = Uint8Array & { readonly __accountId: true } // Ed25519 public key of the root
export type DeviceId = Uint8Array & { readonly __deviceId: true }
export type Address = Uint8Array & { readonly __address: true } // a channel or a mailbox at the relay
export type SeatId = Uint8Array & { readonly __seatId: true }
export type MessageId = Uint8Array & { readonly __messageId: true }
export type PostId = Uint8Array & { readonly __postId: true } // by which the relay deduplicates (never the message id)
export type EntryId = Uint8Array & { readonly __entryId: true } // an account's place in one channel, as the relay sees it
export type InvitationId = Uint8Array & { readonly __invitationId: true }
export type WakeLabel = Uint8Array & { readonly __wakeLabel: true }
export type Token = Uint8Array & { readonly __token: true }
export type TokenHash = Uint8Array & { readonly __tokenHash: true }
export type Head = Uint8Array & { readonly __head: true } // a channel's hash chain at a position

export const ACCOUNT_BYTES = 32
export const DEVICE_BYTES = 16
export const ADDRESS_BYTES = 32
export const SEAT_BYTES = 16
export const ENTRY_BYTES = 16
export const MESSAGE_ID_BYTES = 16
export const POST_ID_BYTES = 16
export const INVITATION_BYTES = 16
export const LABEL_BYTES = 16
export const TOKEN_BYTES = 32
export const HASH_BYTES = 32
