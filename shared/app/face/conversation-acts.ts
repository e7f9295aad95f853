import { fromBase64url } from '#core/bytes/base64url.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { InputError } from '#core/errors.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import { MAX_TEXT_BYTES } from '#core/wire/limits.ts'
import { theirsUpTo } from '../channel/unread.ts'
import type { Face } from '../face.ts'
import type { Intent } from '../ports/records.ts'
import { Turns } from '../turns.ts'
import { channelViews } from './channel-views.ts'
import type { FaceDeps, FaceHands } from './face-deps.ts'
import { linePage } from './line-page.ts'

type ConversationActs = Pick<
  Face,
  'channels' | 'lines' | 'sendText' | 'retry' | 'discard' | 'markRead' | 'draft' | 'saveDraft'
>

export function conversationActs({ store, clock, dice }: FaceDeps, hands: FaceHands): ConversationActs {
  /** It is durable and shown at once; the engine takes it from the store, now or when there is one. */
  const written = (channelId: string): void => {
    hands.announce({ what: 'lines', channelId })
    hands.announce({ what: 'channels' })
    hands.wake()
  }
  const turns = new Turns() // what was written first stands first, however long its seal takes (U-04)
  const append = async (intent: Intent): Promise<void> => {
    await turns.run(intent.channelId, () => store.append(intent))
    written(intent.channelId)
  }
  const intend = async (intent: 'retry' | 'discard', channelId: string, messageId: string): Promise<void> => {
    await append({ intent, channelId, messageId: fromBase64url(messageId) as MessageId })
  }
  return {
    channels: () => channelViews(store, clock.now()),
    lines: (channelId, page) => linePage(store, channelId, page),
    sendText: async (channelId, text) => {
      if (toUtf8(text).length > MAX_TEXT_BYTES) throw new InputError('text/too-long')
      if (text.trim() === '') throw new InputError('text/empty')
      const messageId = dice(MESSAGE_ID_BYTES) as MessageId
      await append({ intent: 'text', channelId, messageId, text, atMs: clock.now() })
    },
    retry: (channelId, messageId) => intend('retry', channelId, messageId),
    discard: (channelId, messageId) => intend('discard', channelId, messageId),
    markRead: async (channelId, upToOrder) => {
      const [read, line, channel, counted] = await Promise.all([
        store.get('reads', channelId),
        store.get('lines', [channelId, upToOrder]),
        store.get('channels', channelId),
        theirsUpTo(store, channelId, upToOrder),
      ])
      // An own line carries the count at the time it was written.
      const theirs = line?.mine === true ? (channel?.theirs ?? 0) : counted
      if ((read?.theirs ?? 0) >= theirs && (read?.order ?? -1) >= upToOrder) return
      const record = { order: Math.max(read?.order ?? -1, upToOrder), theirs: Math.max(read?.theirs ?? 0, theirs) }
      await store.writeFree('reads', channelId, record)
      hands.announce({ what: 'channels' })
      hands.wake()
    },
    draft: async (channelId) => (await store.get('drafts', channelId))?.text ?? '',
    saveDraft: async (channelId, text) => {
      await store.writeFree('drafts', channelId, { text })
      hands.tell({ what: 'channels' })
    },
  }
}
