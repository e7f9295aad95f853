import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'

/** Messages between the extension's contexts are JSON: bytes cross as { $bytes: text }. */
const BYTES = '$bytes'

export function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: toBase64url(value) }
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toPlain(field)]))
}

/** @throws WireError for bytes that are not base64url */
export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  const [first] = fields
  if (fields.length === 1 && first?.[0] === BYTES && typeof first[1] === 'string') return fromBase64url(first[1])
  return Object.fromEntries(fields.map(([name, field]) => [name, fromPlain(field)]))
}
