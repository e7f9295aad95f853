import { toHex } from '../bytes/hex.ts'
import { sha256 } from '../crypto/hash.ts'
import { encodeCbor } from '../wire/cbor.ts'
import type { Dated, Delta, DeltaOf } from './delta.ts'

/** What a delta is about: two of one key are merged into one. A line and its tombstone have the same. */
export function deltaKey(delta: Delta): string {
  switch (delta.kind) {
    case 'line':
    case 'forget':
      return `line/${toHex(delta.channel)}/${toHex(delta.messageId)}`
    case 'channel':
      return `channel/${toHex(delta.address)}`
    case 'contact':
      return `contact/${toHex(delta.account)}`
    case 'read':
      return `read/${toHex(delta.channel)}`
    case 'device':
      return `device/${toHex(delta.deviceId)}`
    case 'settings':
    case 'profile':
      return delta.kind
  }
}

/**
 * MRG1: of two deltas of one key, what holds. It does not matter which comes first, nor how often one comes (L-01): the later one
 * wins whole, but what only ever grows is the larger of both.
 */
export function mergeDeltas(a: Dated, b: Dated): Dated {
  const [lost, won] = compareDated(a, b) < 0 ? [a, b] : [b, a]
  const delta = grown(lost.delta, won.delta)
  return delta === won.delta ? won : { by: won.by, delta }
}

/** One delta for each key. */
export function mergeAll(dated: Iterable<Dated>): Map<string, Dated> {
  const merged = new Map<string, Dated>()
  for (const one of dated) {
    const key = deltaKey(one.delta)
    const other = merged.get(key)
    merged.set(key, other === undefined ? one : mergeDeltas(other, one))
  }
  return merged
}

/** What a delta says, whenever and by whomever: of two alike there is nothing to tell. */
export function contentHash(delta: Delta): Uint8Array {
  return sha256(encodeCbor({ ...delta, at: 0 }))
}

/**
 * MRG2: a tombstone above every line, a contact by its manifest's sequence; then the stamp and the device. The bytes are for a
 * device that forgot what it had said, and said something else at the same moment.
 */
export function compareDated(a: Dated, b: Dated): number {
  return (
    rank(a.delta) - rank(b.delta) ||
    a.delta.at - b.delta.at ||
    compareBytes(a.by, b.by) ||
    compareBytes(encodeCbor(plain(a.delta)), encodeCbor(plain(b.delta)))
  )
}

/** Less the person's words, which are merged by themselves. */
function plain(delta: Delta): Delta {
  if (delta.kind === 'contact') {
    const { verified: _, blocked: __, ...rest } = delta
    return rest
  }
  if (delta.kind !== 'channel') return delta
  const { muted: _, archived: __, repaired: ___, named: ____, ...rest } = delta
  return rest
}

function rank(delta: Delta): number {
  if (delta.kind === 'forget') return 2
  if (delta.kind === 'line') return delta.sharedBy === undefined ? 1 : 0 // what the account has itself, before what it was told
  return delta.kind === 'contact' ? delta.sequence : 0
}

/** MRG3. */
function grown(lost: Delta, won: Delta): Delta {
  if (lost.kind === 'line' && won.kind === 'line') return withState(won, lost.state)
  if (lost.kind === 'channel' && won.kind === 'channel') {
    const words = { ...word('muted', lost, won), ...word('archived', lost, won) }
    const repaired = won.repaired || lost.repaired ? { repaired: true } : {}
    const named = higher(lost.named, won.named)
    return { ...won, upTo: Math.max(won.upTo, lost.upTo), ...words, ...repaired, ...(named && { named }) }
  }
  if (lost.kind === 'read' && won.kind === 'read') {
    return { ...won, order: Math.max(won.order, lost.order), theirs: Math.max(won.theirs, lost.theirs) }
  }
  if (lost.kind === 'contact' && won.kind === 'contact') {
    return { ...won, ...word('verified', lost, won), ...word('blocked', lost, won) }
  }
  return won
}

type Word = { readonly is: boolean; readonly atMs: number; readonly untilMs?: number | undefined }

/** Of two words of the person the later counts, whichever delta has won (K-11, M-11). */
function word<K extends string, W extends Word>(
  name: K,
  lost: { readonly [N in K]?: W | undefined },
  won: { readonly [N in K]?: W | undefined },
): { readonly [N in K]?: W } {
  const [a, b] = [lost[name], won[name]]
  const counts = a === undefined || (b !== undefined && compareWords(name, a, b) <= 0) ? b : a
  return counts === undefined ? {} : ({ [name]: counts } as { readonly [N in K]: W })
}

/** Of two at once the more careful one: not verified, but blocked, muted and put away; and the longer. */
function compareWords(name: string, a: Word, b: Word): number {
  const careful = name === 'verified' ? -1 : 1
  const until = ({ untilMs = Number.POSITIVE_INFINITY }: Word): number => untilMs
  return a.atMs - b.atMs || careful * (Number(a.is) - Number(b.is)) || (until(a) === until(b) ? 0 : until(a) - until(b))
}

/** Keys of a name are never taken back, and an honest account knows one pair: of two, any that all devices come to. */
function higher<T>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined || b === undefined) return b ?? a
  return compareBytes(encodeCbor(a), encodeCbor(b)) < 0 ? b : a
}

/** A message that was delivered once is not merely sent any more. */
function withState(won: DeltaOf<'line'>, state: DeltaOf<'line'>['state']): DeltaOf<'line'> {
  if (state === undefined || won.state === 'delivered') return won
  return { ...won, state }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
