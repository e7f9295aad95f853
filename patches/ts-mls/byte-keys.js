/**
 * Patch P5: public keys that were seen, so that one that comes twice is found. Stock encodes each key of a tree in base64, at
 * every commit. Here they are told apart by their last 32 bytes, whose text is made once for each key, which is never changed
 * in place; of those that end alike, which strangers may choose, by all of them.
 */
import { constantTimeEqual } from './util/constantTimeCompare.js'

const TAIL_BYTES = 32
const tails = new WeakMap() // key -> text

export class SeenKeys {
  #byTail = new Map() // text -> the one key that ends so, or the set of texts of several

  has(key) {
    const seen = this.#byTail.get(tailOf(key))
    if (seen === undefined) return false
    return seen instanceof Set ? seen.has(textOf(key)) : constantTimeEqual(seen, key)
  }

  /** @returns whether it was there before */
  add(key) {
    if (this.has(key)) return true
    const seen = this.#byTail.get(tailOf(key))
    if (seen instanceof Set) seen.add(textOf(key))
    else this.#byTail.set(tailOf(key), seen === undefined ? key : new Set([textOf(seen), textOf(key)]))
    return false
  }
}

function tailOf(key) {
  let tail = tails.get(key)
  if (tail === undefined) {
    tail = textOf(key.subarray(-TAIL_BYTES))
    tails.set(key, tail)
  }
  return tail
}

function textOf(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
