import type { MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import { findInBlocks } from '../log/block-ids.ts'
import { takeFromBlock } from '../log/blocks.ts'

/**
 * A message comes from its author, or by this account's own log: what somebody else has shared under that id gives way (SHR8).
 * @returns whether there was such a line
 */
export async function giveWay(draft: Draft, channelId: string, messageId: MessageId): Promise<boolean> {
  const found = await findInBlocks(draft, channelId, messageId)
  if (found?.line.kind !== 'text' || found.line.sharedBy === undefined) return false
  await takeFromBlock(draft, channelId, found.order)
  return true
}
