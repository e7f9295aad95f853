/** Builds a byte layout, field by field; integers are big-endian. */
export class Writer {
  readonly #parts: Uint8Array[] = []
  #length = 0

  u8(value: number): this {
    return this.raw(Uint8Array.of(value & 0xff))
  }

  u16(value: number): this {
    return this.raw(Uint8Array.of((value >>> 8) & 0xff, value & 0xff))
  }

  u32(value: number): this {
    const out = new Uint8Array(4)
    new DataView(out.buffer).setUint32(0, value)
    return this.raw(out)
  }

  u64(value: number | bigint): this {
    const out = new Uint8Array(8)
    new DataView(out.buffer).setBigUint64(0, BigInt(value))
    return this.raw(out)
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes)
    this.#length += bytes.length
    return this
  }

  /** A u32 length, then the bytes. */
  block(bytes: Uint8Array): this {
    return this.u32(bytes.length).raw(bytes)
  }

  done(): Uint8Array {
    const out = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  }
}
