import { BODY_VERSION, type Body, encodeBody } from '#core/message/body.ts'
import { MESSAGE_ID_BYTES, type MessageId, POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { OutboxRecord } from '../ports/records.ts'

/** What no person wrote waits behind what one did: places in the outbox that no line has. */
const UNWRITTEN_FROM = 2 ** 46

type Said<T> = T extends Body
  ? Omit<T, 'v' | 'atMs' | 'id' | 'seen' | 'view' | 'own' | 'theirs'> & { readonly id?: MessageId }
  : never

/** Puts bodies into the outbox in the order given, in the transaction that decides on them. */
export async function queueBodies(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  channelId: string,
  bodies: readonly Said<Body>[],
  beside: Pick<OutboxRecord, 'shared'> = {},
): Promise<void> {
  const [last] = await draft.list('outbox', { of: channelId, after: UNWRITTEN_FROM - 1, newestFirst: true, limit: 1 })
  const lastAt = Array.isArray(last?.key) ? Number(last.key[1]) : UNWRITTEN_FROM
  for (const [i, body] of bodies.entries()) {
    const id = body.id ?? (deps.dice(MESSAGE_ID_BYTES) as MessageId)
    const encoded = encodeBody({ ...body, v: BODY_VERSION, id, atMs: deps.clock.now() })
    const postId = deps.dice(POST_ID_BYTES) as PostId
    draft.put('outbox', [channelId, lastAt + 1 + i], { postId, body: encoded, attempts: 0, ...beside })
  }
}
