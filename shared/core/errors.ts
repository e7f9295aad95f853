/**
 * The class says what the caller does, the code what happened. Messages hold codes and lengths only, never content,
 * ids or keys (K-04, R-04).
 */
abstract class StaveError extends Error {
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(code, options)
    this.name = new.target.name
  }
}

/** Bytes do not parse: drop them. */
export class WireError extends StaveError {}

/** Does not open or verify: drop it, say nothing to the sender, tell the person (M-09). */
export class CryptoError extends StaveError {}

/** Authentic, but not now (epoch ahead, unknown leaf): keep it and repair. */
export class StateError extends StaveError {}

/** The relay refused, or could not be reached. */
export class RelayError extends StaveError {
  /** May the same request succeed later, unchanged? */
  readonly retryable: boolean
  /** What the relay says besides its code, such as the position of the commit that won. */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    options: ErrorOptions & { retryable: boolean; detail?: Readonly<Record<string, unknown>> },
  ) {
    super(code, options)
    this.retryable = options.retryable
    this.detail = options.detail ?? {}
  }
}

/** The disk refused: stop; the cursor stays where it was. */
export class StoreError extends StaveError {}

/** Our own bug. */
export class UsageError extends StaveError {}

/** A person's input that can't be used as it stands; the code picks the sentence shown (strings/). */
export class InputError extends StaveError {
  constructor(
    code: string,
    readonly detail: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(code, options)
  }
}
