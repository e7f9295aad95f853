import type { Dice } from '#core/crypto/random.ts'

/** sfc32: small, fast, and the same everywhere. Only for tests. */
export class Seeded {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = 0x9e3779b9
    this.#c = 0x243f6a88
    for (let i = 0; i < 16; i++) this.u32()
  }

  u32(): number {
    const t = (this.#a + this.#b + this.#counter++) >>> 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) >>> 0
    return t
  }

  /** From 0 to 1, without 1. */
  unit(): number {
    return this.u32() / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  fork(): Seeded {
    return new Seeded(this.u32())
  }

  dice: Dice = (length) => {
    const out = new Uint8Array(length)
    for (let i = 0; i < length; i++) out[i] = this.u32() & 0xff
    return out
  }
}
