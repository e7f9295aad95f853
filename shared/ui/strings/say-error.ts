import type { Strings } from './en.ts'

export type ErrorCode = keyof Strings['errors']

/** What StaveError and its kin carry; an error that crossed from another context arrives with the same two fields. */
type Coded = { readonly code: string; readonly detail?: Readonly<Record<string, unknown>> }

function isCoded(error: unknown): error is Coded {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
}

/** The sentence for an error: of its code, else of the code's first part, else one that fits all. Never its message. */
export function sayError(t: Strings, error: unknown): string {
  if (!isCoded(error)) return t.errors.unknown
  return fill(sayCode(t, error.code), error.detail ?? {})
}

export function sayCode(t: Strings, code: string): string {
  return lookUp(t, code) ?? lookUp(t, code.split('/')[0] ?? '') ?? t.errors.unknown
}

function lookUp(t: Strings, code: string): string | undefined {
  return Object.hasOwn(t.errors, code) ? t.errors[code as ErrorCode] : undefined
}

function fill(sentence: string, detail: Readonly<Record<string, unknown>>): string {
  return sentence.replace(/\{(\w+)\}/g, (hole, key: string) => (key in detail ? String(detail[key]) : hole))
}
