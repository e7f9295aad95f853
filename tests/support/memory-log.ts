import type { Relay } from '#app/ports/relay.ts'
import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import { RelayError } from '#core/errors.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, LogRow, OperationName, Place, ReplyOf } from '#core/wire/operations.ts'

const MAX_ROWS = 64
const MAX_BYTES = 1024 * 1024

/** A log at a relay that keeps to the rules (LOG3 to LOG5), and counts what is asked of it. */
export class MemoryLog {
  rows: readonly LogRow[] = []
  last: Place
  /** Nothing is stored that would make it larger. */
  fullAt = Number.POSITIVE_INFINITY
  readonly asked = new Map<OperationName, number>()

  constructor(address: Address) {
    this.last = { position: 0, head: firstLogHead(address) }
  }

  get bytes(): number {
    return this.rows.reduce((sum, row) => sum + row.bytes.length, 0)
  }

  append(entries: readonly { readonly bytes: Uint8Array }[], gone: (row: LogRow) => boolean = () => false): number {
    const left = this.rows.filter((row) => !gone(row))
    const size = [...left, ...entries].reduce((sum, { bytes }) => sum + bytes.length, 0)
    if (size > this.fullAt) throw new RelayError('quota/log', { retryable: true })
    this.rows = left
    for (const { bytes } of entries) {
      const position = this.last.position + 1
      this.rows = [...this.rows, { position, before: this.last.head, bytes }]
      this.last = { position, head: nextLogHead(this.last.head, position, bytes) }
    }
    return this.last.position
  }

  /** As the relay port has it. */
  readonly caller: Pick<Relay, 'call'> = {
    call: async <O extends OperationName>(operation: O, args: ArgsOf<O>): Promise<ReplyOf<O>> => {
      this.asked.set(operation, (this.asked.get(operation) ?? 0) + 1)
      return this.#answer(operation, args as never) as ReplyOf<O>
    },
  }

  #answer(operation: OperationName, args: never): unknown {
    switch (operation) {
      case 'log.append':
        return { position: this.append((args as ArgsOf<'log.append'>).entries) }
      case 'log.compact': {
        const { entry, from, to } = args as ArgsOf<'log.compact'>
        return { position: this.append([entry], ({ position }) => position >= from && position <= to) }
      }
      case 'log.fetch': {
        const { after } = args as ArgsOf<'log.fetch'>
        return this.#some(this.rows.filter(({ position }) => position > after))
      }
      case 'log.back': {
        const { before } = args as ArgsOf<'log.back'>
        const end = before === 0 ? Number.POSITIVE_INFINITY : before
        return this.#some(this.rows.filter(({ position }) => position < end).toReversed())
      }
      default:
        throw new RelayError('relay/bad-answer', { retryable: false })
    }
  }

  #some(rows: readonly LogRow[]): ReplyOf<'log.fetch'> {
    let bytes = 0
    const entries = rows.slice(0, MAX_ROWS).filter((row, i) => {
      bytes += row.bytes.length
      return i === 0 || bytes <= MAX_BYTES
    })
    return { entries, last: this.last, more: entries.length < rows.length }
  }
}
