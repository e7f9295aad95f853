import { toBase64url } from '#core/bytes/base64url.ts'
import type { Dice } from '#core/crypto/random.ts'
import type { Bridge } from '../ports/bridge.ts'
import type { SpaceFace } from './space-face.ts'

const CHANNEL_ID_BYTES = 9

/** What faces ask of the engine. Ids are made here, so that asking again after a lost answer makes nothing twice. */
export function spaceActs({ bridge, dice }: { readonly bridge: Bridge; readonly dice: Dice }): SpaceFace {
  const newId = (): string => toBase64url(dice(CHANNEL_ID_BYTES))
  return {
    createSpace: (input) => bridge.request('createSpace', { ...input, id: newId() }),
    addToSpace: (spaceId, { title }) => bridge.request('addToSpace', { spaceId, title, id: newId() }),
    removeFromSpace: async (channelId) => {
      await bridge.request('removeFromSpace', { channelId })
    },
  }
}
