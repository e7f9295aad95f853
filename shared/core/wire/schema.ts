import { WireError } from '../errors.ts'

/** A shape that crosses a process: `check` returns the value as its type, or refuses it. */
export interface Schema<T> {
  readonly check: (value: unknown) => T
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never

type Fields = Readonly<Record<string, Schema<unknown>>>
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never }[keyof F]
export type ObjectOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: TypeOf<F[K]>
}

function refuse(what: string): never {
  throw new WireError(`schema/${what}`)
}

/** Exactly `length` bytes. */
export function fixed<T extends Uint8Array = Uint8Array>(length: number): Schema<T> {
  return { check: (value) => (value instanceof Uint8Array && value.length === length ? (value as T) : refuse('bytes')) }
}

/** At most `max` bytes. */
export function bytes(max: number): Schema<Uint8Array> {
  return { check: (value) => (value instanceof Uint8Array && value.length <= max ? value : refuse('bytes')) }
}

/** A whole number from 0 to `max`. */
export function uint(max = Number.MAX_SAFE_INTEGER): Schema<number> {
  return {
    check: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max ? value : refuse('uint'),
  }
}

export const bool: Schema<boolean> = {
  check: (value) => (typeof value === 'boolean' ? value : refuse('bool')),
}

/** At most `max` UTF-16 units. */
export function text(max: number): Schema<string> {
  return { check: (value) => (typeof value === 'string' && value.length <= max ? value : refuse('text')) }
}

export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return { check: (value) => values.find((known) => known === value) ?? refuse('one-of') }
}

export function list<T>(item: Schema<T>, max: number): Schema<readonly T[]> {
  return {
    check: (value) =>
      Array.isArray(value) && value.length <= max ? value.map((one) => item.check(one)) : refuse('list'),
  }
}

export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return { check: (value) => (value === undefined ? undefined : schema.check(value)) }
}

/** Exactly these fields: an unknown one is refused, so that nothing rides along unseen. */
export function object<F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  return {
    check: (value) => {
      if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
        refuse('object')
      const given = value as Record<string, unknown>
      for (const key of Object.keys(given)) if (!Object.hasOwn(fields, key)) refuse('unknown-field')
      const out: Record<string, unknown> = {}
      for (const [key, schema] of Object.entries(fields)) {
        const field = schema.check(Object.hasOwn(given, key) ? given[key] : undefined)
        if (field !== undefined) out[key] = field
      }
      return out as ObjectOf<F>
    },
  }
}
