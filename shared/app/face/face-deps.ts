import type { Dice } from '#core/crypto/random.ts'
import type { Change, Connection, Face } from '../face.ts'
import type { ArchiveSeal } from '../ports/archive-seal.ts'
import type { Bridge, RequestArgs, RequestName } from '../ports/bridge.ts'
import type { Changes } from '../ports/changes.ts'
import type { Clock } from '../ports/clock.ts'
import type { Passkeys } from '../ports/passkey.ts'
import type { Store } from '../ports/store.ts'

export type FaceDeps = {
  readonly store: Store
  readonly bridge: Bridge
  readonly changes: Changes
  readonly clock: Clock
  readonly dice: Dice
  readonly askPersistence: Face['askPersistence']
  readonly isPersistent: () => Promise<boolean>
  readonly supported: () => boolean
  readonly kind: 'web' | 'extension'
  readonly passkeys: Passkeys
  readonly archiveSeal: ArchiveSeal
}

/** What acts of every kind need besides: who listens to this face, and the engine's attention. */
export interface FaceHands {
  /** To whoever listens to this face. */
  tell(change: Change): void
  /** And to other contexts of this origin. */
  announce(change: Change): void
  /** The engine looks for what was written, now or when there is one. */
  wake(): void
  connection(): Connection
}

/** Asks the engine for something that has no answer. */
export type Ask = <R extends RequestName>(name: R, args: RequestArgs<R>) => Promise<void>

export function askOf({ bridge }: Pick<FaceDeps, 'bridge'>): Ask {
  return async (name, args) => {
    await bridge.request(name, args)
  }
}
