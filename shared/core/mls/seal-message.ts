import { createApplicationMessage } from 'ts-mls/createMessage.js'
import type { Dice } from '../crypto/random.ts'
import { checkActive, epochOf, type Group, ownLeafOf } from './group.ts'
import { provider } from './provider.ts'
import { encodeMessage, guarded } from './wire.ts'

export type SealedMessage = {
  readonly next: Group
  readonly message: Uint8Array
  readonly epoch: number
  readonly leaf: number
  readonly generation: number
  readonly spent: readonly Uint8Array[]
}

/** `next` is stored before `message` leaves: the same key is never used for another one (I-04). */
export async function sealMessage(
  group: Group,
  plaintext: Uint8Array,
  authenticatedData: Uint8Array,
  dice: Dice,
): Promise<SealedMessage> {
  checkActive(group)
  const cs = provider(group.suite, { dice, signer: group.signer })
  const leaf = ownLeafOf(group)
  const generation = group.state.secretTree.leaves[2 * leaf]?.application.generation ?? 0
  const { newState, privateMessage, consumed } = await guarded('mls/seal', () =>
    createApplicationMessage(group.state, plaintext, cs, authenticatedData),
  )
  const message = encodeMessage({ wireformat: 'mls_private_message', privateMessage })
  return { next: { ...group, state: newState }, message, epoch: epochOf(group), leaf, generation, spent: consumed }
}
