import { CryptoError, InputError, RelayError, StateError, StoreError, UsageError, WireError } from '#core/errors.ts'

/** An answer of the engine as plain data, so that it can cross contexts. */
export type Answer =
  | { readonly ok: true; readonly reply: unknown }
  | {
      readonly ok: false
      readonly kind: string
      readonly code: string
      readonly retryable: boolean
      readonly detail: Readonly<Record<string, unknown>>
    }

const KINDS = { CryptoError, InputError, RelayError, StateError, StoreError, UsageError, WireError } as const

/** By the class itself: names of classes do not survive a build. */
function kindOf(error: unknown): keyof typeof KINDS {
  const known = Object.entries(KINDS).find(([, Kind]) => error instanceof Kind)
  return (known?.[0] ?? 'UsageError') as keyof typeof KINDS
}

export async function answerOf(run: () => Promise<unknown>): Promise<Answer> {
  try {
    return { ok: true, reply: await run() }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'engine/fault'
    const kind = kindOf(error)
    const retryable = error instanceof RelayError && error.retryable
    const detail = error instanceof RelayError || error instanceof InputError ? error.detail : {}
    return { ok: false, kind, code, retryable, detail }
  }
}

const PLAIN: Readonly<Record<string, typeof CryptoError>> = { CryptoError, StateError, StoreError, WireError }

/** @throws what the engine threw */
export function replyOf(answer: Answer): unknown {
  if (answer.ok) return answer.reply
  const { kind, code, retryable, detail } = answer
  if (kind === 'RelayError') throw new RelayError(code, { retryable, detail })
  if (kind === 'InputError') throw new InputError(code, detail as Readonly<Record<string, string | number>>)
  throw new (PLAIN[kind] ?? UsageError)(code)
}
