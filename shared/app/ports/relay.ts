import type { ArgsOf, OperationName, PushName, PushOf, ReplyOf } from '#core/wire/operations.ts'

export type RelayTarget = { readonly origin: string; readonly noiseKey: Uint8Array }

export type RelayState =
  | { readonly state: 'idle' | 'offline' | 'connecting' | 'online' }
  | { readonly state: 'refused'; readonly why: 'wrong-realm' | 'older-client' | 'quota' }

export type Push = { readonly [P in PushName]: { readonly name: P; readonly value: PushOf<P> } }[PushName]

export type RelayEvents = {
  readonly onState: (state: RelayState) => void
  readonly onPush: (push: Push) => void
}

/** One Noise channel to the realm over one WebSocket; connects again by itself (T-01). */
export interface Relay {
  start(target: RelayTarget, events: RelayEvents): void
  /** Try now instead of at the end of the back-off: a face opened, the network is back. */
  nudge(): void
  stop(): void
  /** @throws RelayError: the relay's own refusals, or 'relay/unreachable' and 'relay/no-answer' (retryable) */
  call<O extends OperationName>(operation: O, args: ArgsOf<O>): Promise<ReplyOf<O>>
  /** Learns a realm's key from the realm itself; unverified (T-01). */
  askRealmKey(origin: string): Promise<Uint8Array>
  cover(mode: 'off' | 'light'): void
}
