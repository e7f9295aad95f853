import { WireError } from '../errors.ts'
import { decodeCbor, encodeCbor } from './cbor.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import {
  type ArgsOf,
  type OperationName,
  operations,
  type PushName,
  type PushOf,
  pushes,
  type ReplyOf,
} from './operations.ts'
import { bool, object, optional, text, uint } from './schema.ts'

/**
 * Messages inside the frames, as CBOR arrays:
 *   request [0, id, operation, args]   reply [1, id, reply]   refusal [2, id, { code, retryable, … }]   push [3, name, value]
 * Ids are chosen by the client, one for each request of a connection.
 */
export type Request = { readonly id: number; readonly op: OperationName; readonly args: unknown }

export const refusal = object({
  code: text(64),
  retryable: bool,
  waitMs: optional(uint(86_400_000)), // 'quota/…': when to try again
  position: optional(uint()), // 'channel/commit-lost': where the winner stands
  sequence: optional(uint()), // 'manifest/older': the newest that the relay has
  number: optional(uint()), // 'vault/lost': of the vault that is there
})
export type Refusal = ReturnType<typeof refusal.check>

const MAX_ID = 0xffffffff

export function encodeRequest<O extends OperationName>(id: number, op: O, args: ArgsOf<O>): Uint8Array {
  return encodeCbor([0, id, op, args])
}

/** @throws WireError for anything that is not a request of a known operation with exactly its fields */
export function decodeRequest(bytes: Uint8Array): Request {
  const [kind, id, op, args, ...more] = decodeArray(bytes)
  if (kind !== 0 || more.length > 0 || typeof op !== 'string' || !Object.hasOwn(operations, op)) {
    throw new WireError('message/request')
  }
  const name = op as OperationName
  return { id: uint(MAX_ID).check(id), op: name, args: operations[name].args.check(args) }
}

export function encodeReply<O extends OperationName>(id: number, reply: ReplyOf<O>): Uint8Array {
  return encodeCbor([1, id, reply])
}

export function encodeRefusal(id: number, reason: Refusal): Uint8Array {
  return encodeCbor([2, id, reason])
}

export function encodePush<P extends PushName>(name: P, value: PushOf<P>): Uint8Array {
  return encodeCbor([3, name, value])
}

/** What a client receives. A reply's value is checked by whoever knows which operation it answers. */
export type Received =
  | { readonly kind: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly refusal: Refusal }
  | { readonly [P in PushName]: { readonly kind: 'push'; readonly name: P; readonly value: PushOf<P> } }[PushName]

export function decodeReceived(bytes: Uint8Array): Received {
  const [kind, first, second, ...more] = decodeArray(bytes)
  if (more.length > 0) throw new WireError('message/fields')
  switch (kind) {
    case 1:
      return { kind: 'reply', id: uint(MAX_ID).check(first), value: second }
    case 2:
      return { kind: 'refusal', id: uint(MAX_ID).check(first), refusal: refusal.check(second) }
    case 3:
      if (first === 'wake') return { kind: 'push', name: 'wake', value: pushes.wake.check(second) }
      if (first === 'mail') return { kind: 'push', name: 'mail', value: pushes.mail.check(second) }
      throw new WireError('message/push')
    default:
      throw new WireError('message/kind')
  }
}

function decodeArray(bytes: Uint8Array): unknown[] {
  const value = decodeCbor(bytes, MAX_MESSAGE_BYTES)
  if (!Array.isArray(value)) throw new WireError('message/shape')
  return value
}
