import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { WireError } from '#core/errors.ts'
import { ACCOUNT_BYTES, type AccountId, ADDRESS_BYTES, MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import { MAX_MANIFEST_BYTES, MAX_TEXT_BYTES } from '#core/wire/limits.ts'

/**
 * One line of an archive (docs/spec/archive.md): JSON, so that whoever has opened the file can read it with anything.
 * Bytes are base64url. There is never a secret or a token in it (I-07).
 */
export type ArchiveLine =
  | {
      readonly type: 'profile' | 'contact'
      readonly account: AccountId
      readonly name: string
      readonly manifest: Uint8Array
    }
  | { readonly type: 'settings'; readonly values: Readonly<Record<string, string | number | boolean>> }
  | { readonly type: 'channel'; readonly key: string; readonly kind: ChannelKind; readonly title: string }
  | {
      readonly type: 'line'
      readonly in: string // a channel's key
      readonly order: number
      readonly id: MessageId
      readonly author: AccountId
      readonly atMs: number
      readonly text: string
      readonly state: 'waiting' | 'sent' | 'delivered' | 'failed'
      readonly sharedBy?: AccountId // nothing proves that its author said it (ARC8)
      readonly aside?: true // from before a repair: others may not have it
    }
  | { readonly type: 'end'; readonly lines: number }
export type ChannelKind = 'direct' | 'group' | 'notes'

/** The first line. `proof`: made by a device of that account (ARC4). */
export type ArchiveHead = { readonly id: Uint8Array; readonly account: AccountId; readonly proof: Uint8Array }

export const ARCHIVE_ID_BYTES = 16
export const ARCHIVE_PROOF_BYTES = 32
/** ARC2: the longest text, each of its bytes escaped, and the rest. */
export const MAX_ARCHIVE_LINE_BYTES = 512 * 1024
const VERSION = 1
const MAX_KEY_UNITS = 64
const MAX_TITLE_UNITS = 1024

export function encodeHead({ id, account, proof }: ArchiveHead): string {
  const bytes = { id: toBase64url(id), account: toBase64url(account), proof: toBase64url(proof) }
  return JSON.stringify({ stave: 'archive', version: VERSION, ...bytes })
}

/** @throws WireError 'archive/not-one', 'archive/newer', 'archive/line' */
export function decodeHead(text: string): ArchiveHead {
  const fields = readFields(text)
  if (fields.stave !== 'archive') throw new WireError('archive/not-one')
  if (fields.version !== VERSION) throw new WireError('archive/newer')
  return {
    id: bytesOf(fields.id, ARCHIVE_ID_BYTES),
    account: bytesOf(fields.account, ACCOUNT_BYTES) as AccountId,
    proof: bytesOf(fields.proof, ARCHIVE_PROOF_BYTES),
  }
}

export function encodeLine(line: ArchiveLine): string {
  return JSON.stringify(line, (_name, value) => (value instanceof Uint8Array ? toBase64url(value) : value))
}

/** Undefined: a kind of line that a later version added, and that may be passed over. @throws WireError 'archive/line' */
export function decodeLine(text: string): ArchiveLine | undefined {
  const fields = readFields(text)
  switch (fields.type) {
    case 'profile':
    case 'contact':
      return {
        type: fields.type,
        account: bytesOf(fields.account, ACCOUNT_BYTES) as AccountId,
        name: textOf(fields.name, MAX_TITLE_UNITS),
        manifest: manifestOf(fields.manifest),
      }
    case 'settings':
      return { type: 'settings', values: valuesOf(fields.values) }
    case 'channel':
      return {
        type: 'channel',
        key: textOf(fields.key, MAX_KEY_UNITS),
        kind: oneOf(fields.kind, ['direct', 'group', 'notes']),
        title: textOf(fields.title, MAX_TITLE_UNITS),
      }
    case 'line':
      return {
        type: 'line',
        in: textOf(fields.in, MAX_KEY_UNITS),
        order: countOf(fields.order),
        id: bytesOf(fields.id, MESSAGE_ID_BYTES) as MessageId,
        author: bytesOf(fields.author, ACCOUNT_BYTES) as AccountId,
        atMs: countOf(fields.atMs),
        text: messageOf(fields.text),
        state: oneOf(fields.state, ['waiting', 'sent', 'delivered', 'failed']),
        ...(fields.sharedBy === undefined ? {} : { sharedBy: bytesOf(fields.sharedBy, ACCOUNT_BYTES) as AccountId }),
        ...(fields.aside === undefined ? {} : { aside: markOf(fields.aside) }),
      }
    case 'end':
      return { type: 'end', lines: countOf(fields.lines) }
    default:
      return undefined
  }
}

/** The address in a channel's key, for a channel that the relay has. */
export function addressIn(key: string): Uint8Array | undefined {
  try {
    const address = fromBase64url(key)
    return address.length === ADDRESS_BYTES ? address : undefined
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

function readFields(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  } catch (cause) {
    throw new WireError('archive/line', { cause })
  }
  throw new WireError('archive/line')
}

function bytesOf(value: unknown, length: number): Uint8Array {
  const bytes = typeof value === 'string' && value.length <= 2 * length ? fromBase64url(value) : undefined
  if (bytes?.length !== length) throw new WireError('archive/line')
  return bytes
}

function manifestOf(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value.length > 2 * MAX_MANIFEST_BYTES) throw new WireError('archive/line')
  return fromBase64url(value)
}

function textOf(value: unknown, maxUnits: number): string {
  if (typeof value !== 'string' || value.length > maxUnits) throw new WireError('archive/line')
  return value
}

function messageOf(value: unknown): string {
  const text = textOf(value, MAX_TEXT_BYTES)
  if (toUtf8(text).length > MAX_TEXT_BYTES) throw new WireError('archive/line')
  return text
}

function countOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new WireError('archive/line')
  return value
}

function markOf(value: unknown): true {
  if (value !== true) throw new WireError('archive/line')
  return value
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new WireError('archive/line')
  return found
}

function valuesOf(value: unknown): Readonly<Record<string, string | number | boolean>> {
  if (typeof value !== 'object' || value === null) throw new WireError('archive/line')
  const plain = Object.entries(value).filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one))
  return Object.fromEntries(plain) as Readonly<Record<string, string | number | boolean>>
}
