import { decryptSenderData } from 'ts-mls/privateMessage.js'
import type { Group } from './group.ts'
import { provider } from './provider.ts'
import { decodeMessage } from './wire.ts'

export type SenderSeen = {
  readonly epoch: number
  readonly leaf: number
  readonly generation: number
  readonly content: 'application' | 'proposal' | 'commit'
}

/**
 * Which ratchet step a message was sealed with, without opening it: for tests that watch ciphertexts (I-04).
 * @returns undefined when the group holds no key of the message's epoch
 */
export async function unsafeReadSender({ state, suite }: Group, bytes: Uint8Array): Promise<SenderSeen | undefined> {
  const message = decodeMessage(bytes)
  if (message.wireformat !== 'mls_private_message') return undefined
  const { privateMessage } = message
  const secret =
    privateMessage.epoch === state.groupContext.epoch
      ? state.keySchedule.senderDataSecret
      : state.historicalReceiverData.get(privateMessage.epoch)?.senderDataSecret
  if (secret === undefined) return undefined
  const sender = await decryptSenderData(privateMessage, secret, provider(suite))
  if (sender === undefined) return undefined
  const { leafIndex: leaf, generation } = sender
  return { epoch: Number(privateMessage.epoch), leaf, generation, content: privateMessage.contentType }
}
