import type { Refusal } from '#core/wire/message.ts'

/** What an object answers. A refusal is a value: errors lose their class on the way between objects. */
export type Answer<T> = { readonly reply: T } | { readonly refusal: Refusal }

type Detail = Omit<Refusal, 'code' | 'retryable'>

/** The same request will not succeed, unless something else changes. */
export function refuse(code: string, detail: Detail = {}): { readonly refusal: Refusal } {
  return { refusal: { code, retryable: false, ...detail } }
}

/** Over a limit: nothing was done, the same request may succeed later. */
export function overQuota(what: string, waitMs: number): { readonly refusal: Refusal } {
  return { refusal: { code: `quota/${what}`, retryable: true, waitMs } }
}

export const DONE: Answer<Record<string, never>> = { reply: {} }
