import { toBase64url } from '#core/bytes/base64url.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { Row, RowKey, Store } from '../ports/store.ts'

const KEY_BYTES = 9

/** Keys are readable on the disk, and an account's id is a person: so it says nothing. */
export function newShareKey({ dice }: Pick<Deps, 'dice'>, channelId: string): RowKey {
  return [channelId, toBase64url(dice(KEY_BYTES))]
}

/** By the message that told of it: applying that again makes no second one. */
export function incomingKey(channelId: string, id: MessageId): RowKey {
  return [channelId, toBase64url(id)]
}

export async function findShare(
  source: Pick<Draft, 'list'> | Pick<Store, 'list'>,
  channelId: string,
  isIt: (record: ShareRecord) => boolean,
): Promise<Row<'shares'> | undefined> {
  return (await source.list('shares', { of: channelId })).find(({ record }) => isIt(record))
}

/** What faces call it: the second half of its key. */
export function nameIn(key: RowKey): string {
  return String((key as readonly [string, string])[1])
}

export function channelIn(key: RowKey): string {
  return String((key as readonly [string, string])[0])
}
