import type { Dice } from '#core/crypto/random.ts'
import type { Changes } from './ports/changes.ts'
import type { Clock } from './ports/clock.ts'
import type { KeyHandles } from './ports/keys.ts'
import type { Notifier } from './ports/notifier.ts'
import type { Relay } from './ports/relay.ts'
import type { Store } from './ports/store.ts'

/** What the engine's use-cases need; boot.ts of each shell joins the ports to their adapters. */
export type Deps = {
  readonly store: Store
  readonly handles: KeyHandles
  readonly relay: Relay
  readonly clock: Clock
  readonly dice: Dice
  readonly changes: Changes
  readonly notifier: Notifier
  /** The realm to use when nothing else named one: the web app's own origin. */
  readonly defaultOrigin: string
  /** Join that realm as soon as there is an identity, or wait until something needs one. */
  readonly joinsAtOnce: boolean
}
