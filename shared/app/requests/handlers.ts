import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'

type Shape = Readonly<Record<string, { readonly args: unknown; readonly reply: unknown }>>

/** One function for each request: what it needs of the ports and of the running engine comes in. */
export type HandlersOf<R extends Shape> = {
  readonly [N in keyof R]: (deps: Deps, hands: EngineHands, args: R[N]['args']) => Promise<R[N]['reply']>
}
