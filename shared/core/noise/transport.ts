import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { openChacha, sealChacha } from '../crypto/chacha.ts'
import { CryptoError, UsageError, WireError } from '../errors.ts'
import { MAX_NOISE_MESSAGE_BYTES, TAG_BYTES } from './messages.ts'
import { nonceOf } from './nonce.ts'

/**
 * An open Noise channel, as one side holds it. Synchronous, so that frames keep their order. As bytes, for a relay that
 * sleeps between frames:
 *
 *    1B  version (0x01)
 *   32B  send key       8B  next send nonce
 *   32B  receive key    8B  next receive nonce
 *
 * NOI5: what `seal` has used must be stored before the message leaves: waking up must never rewind a counter.
 */
const VERSION = 0x01
const KEY_BYTES = 32
export const TRANSPORT_BYTES = 1 + 2 * (KEY_BYTES + 8)
const EMPTY = new Uint8Array()

export class Transport {
  readonly #sendKey: Uint8Array
  readonly #receiveKey: Uint8Array
  #sendNonce: number
  #receiveNonce: number

  constructor(sendKey: Uint8Array, receiveKey: Uint8Array, sendNonce = 0, receiveNonce = 0) {
    this.#sendKey = sendKey
    this.#receiveKey = receiveKey
    this.#sendNonce = sendNonce
    this.#receiveNonce = receiveNonce
  }

  /** @throws CryptoError 'noise/exhausted' */
  seal(plaintext: Uint8Array): Uint8Array {
    if (plaintext.length + TAG_BYTES > MAX_NOISE_MESSAGE_BYTES) throw new UsageError('noise/too-large')
    const nonce = usable(this.#sendNonce)
    this.#sendNonce++
    return sealChacha(this.#sendKey, nonceOf(nonce), plaintext, EMPTY)
  }

  /**
   * NOI4: messages open in the order in which they were sealed; a lost, repeated or changed one does not, and then
   * the connection is over.
   * @throws WireError 'noise/length', CryptoError 'noise/open' or 'noise/exhausted'
   */
  open(message: Uint8Array): Uint8Array {
    if (message.length < TAG_BYTES || message.length > MAX_NOISE_MESSAGE_BYTES) throw new WireError('noise/length')
    const nonce = usable(this.#receiveNonce)
    let plaintext: Uint8Array
    try {
      plaintext = openChacha(this.#receiveKey, nonceOf(nonce), message, EMPTY)
    } catch (cause) {
      throw new CryptoError('noise/open', { cause })
    }
    this.#receiveNonce++
    return plaintext
  }

  encode(): Uint8Array {
    return new Writer()
      .u8(VERSION)
      .raw(this.#sendKey)
      .u64(this.#sendNonce)
      .raw(this.#receiveKey)
      .u64(this.#receiveNonce)
      .done()
  }

  static decode(bytes: Uint8Array): Transport {
    const r = new Reader(bytes, TRANSPORT_BYTES)
    if (r.u8() !== VERSION) throw new WireError('noise/transport-version')
    const sendKey = r.take(KEY_BYTES)
    const sendNonce = r.u64()
    const receiveKey = r.take(KEY_BYTES)
    const receiveNonce = r.u64()
    r.end()
    return new Transport(sendKey, receiveKey, sendNonce, receiveNonce)
  }
}

/** Noise stops at 2^64 - 2; a number counts exactly to 2^53 - 1, which no connection reaches either. */
function usable(nonce: number): number {
  if (nonce >= Number.MAX_SAFE_INTEGER) throw new CryptoError('noise/exhausted')
  return nonce
}
