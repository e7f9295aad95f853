import { toBase64url } from '#core/bytes/base64url.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import type { RowKey } from '../ports/store.ts'

/** One at a time for each newcomer. */
export function outgoingKey(channelId: string, to: AccountId): RowKey {
  return [channelId, `out ${toBase64url(to)}`]
}

/** By the message that told of it. */
export function incomingKey(channelId: string, id: MessageId): RowKey {
  return [channelId, `in ${toBase64url(id)}`]
}

export function dayKey(channelId: string, by: AccountId): RowKey {
  return [channelId, `day ${toBase64url(by)}`]
}

/** What faces call it: the second half of its key. */
export function nameIn(key: RowKey): string {
  return String((key as readonly [string, string])[1])
}

export function channelIn(key: RowKey): string {
  return String((key as readonly [string, string])[0])
}
