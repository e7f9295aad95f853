import { WireError } from '../errors.ts'

/**
 * Reads a byte layout. Every read is bounds-checked; `take` returns a copy, so that a decoded value never keeps or
 * aliases the whole input.
 */
export class Reader {
  #at = 0

  /** @throws WireError 'reader/too-large' before anything is parsed */
  constructor(
    readonly bytes: Uint8Array,
    maxBytes: number,
  ) {
    if (bytes.length > maxBytes) throw new WireError('reader/too-large')
  }

  get left(): number {
    return this.bytes.length - this.#at
  }

  u8(): number {
    return this.#view(1).getUint8(0)
  }

  u16(): number {
    return this.#view(2).getUint16(0)
  }

  u32(): number {
    return this.#view(4).getUint32(0)
  }

  /** @throws WireError when the value is above 2^53 - 1 */
  u64(): number {
    const value = this.#view(8).getBigUint64(0)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new WireError('reader/u64')
    return Number(value)
  }

  take(length: number): Uint8Array {
    const start = this.#advance(length)
    return this.bytes.slice(start, start + length)
  }

  /** A u32 length, then that many bytes. */
  block(maxBytes: number): Uint8Array {
    const length = this.u32()
    if (length > maxBytes) throw new WireError('reader/too-large')
    return this.take(length)
  }

  /** @throws WireError when bytes are left over: a layout has exactly one encoding. */
  end(): void {
    if (this.left !== 0) throw new WireError('reader/trailing')
  }

  #advance(length: number): number {
    if (length > this.left) throw new WireError('reader/short')
    const start = this.#at
    this.#at += length
    return start
  }

  #view(length: number): DataView {
    const start = this.#advance(length)
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + start, length)
  }
}
