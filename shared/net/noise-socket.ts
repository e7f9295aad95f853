import type { Dice } from '#core/crypto/random.ts'
import { finish, type Handshake, initiate } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import type { Transport } from '#core/noise/transport.ts'
import { encodeCover } from '#core/wire/cover.ts'
import { decodeFrame, encodeFrame, frameBytesFor, framesOf, Joiner } from '#core/wire/frame.ts'
import { coverBytes } from './cover.ts'

/** The part of a browser's WebSocket that is used here. */
export interface Socket {
  binaryType: string
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: ((event: { readonly code: number }) => void) | null
  onerror: (() => void) | null
  send(bytes: Uint8Array): void
  close(): void
}

const PROTOCOL_ERROR = 4400

export type NoiseSocketEvents = {
  readonly onOpen: () => void
  /** The relay is there: a frame of its came, whatever is in it. */
  readonly onFrame: () => void
  readonly onMessage: (message: Uint8Array) => void
  /** 'wrong-key': the relay does not hold the pinned key (T-01). */
  readonly onClose: (why: 'lost' | 'wrong-key') => void
}

/**
 * Noise inside one WebSocket: frames of bucket sizes, nothing but the handshake before it is open (docs/spec/frame.md).
 */
export class NoiseSocket {
  readonly #socket: Socket
  readonly #events: NoiseSocketEvents
  readonly #dice: Dice
  readonly #joiner = new Joiner()
  #transport: Transport | undefined
  #closed = false

  constructor(socket: Socket, responderStatic: Uint8Array, dice: Dice, events: NoiseSocketEvents) {
    this.#socket = socket
    this.#events = events
    this.#dice = dice
    const begun = initiate(PROLOGUE, responderStatic, dice)
    let received = Promise.resolve()
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      begun.then(
        ({ message }) => socket.send(message),
        () => this.#fail('wrong-key'),
      )
    }
    socket.onmessage = ({ data }) => {
      // A text in place of bytes would be taken for a length.
      const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array()
      // The handshake's end is asynchronous and everything after it is not: one queue keeps the order of frames.
      received = received.then(async () => this.#receive(bytes, (await begun).handshake))
    }
    // A relay that holds another key can't open the first message, and says so by closing: NOI, docs/spec/frame.md.
    socket.onclose = ({ code }) =>
      this.#fail(code === PROTOCOL_ERROR && this.#transport === undefined ? 'wrong-key' : 'lost')
    socket.onerror = () => this.#fail('lost')
  }

  send(message: Uint8Array): void {
    for (const frame of framesOf(message)) this.#sendFrame(encodeFrame(frame))
  }

  /** A frame that says nothing, and asks for one that says nothing (T-03). */
  cover(): void {
    const content = encodeCover(coverBytes(this.#dice))
    this.#sendFrame(
      encodeFrame({ kind: 'cover', content }, Math.max(coverBytes(this.#dice), frameBytesFor(content.length))),
    )
  }

  close(): void {
    this.#closed = true
    this.#socket.close()
  }

  #sendFrame(frame: Uint8Array): void {
    if (this.#transport !== undefined && !this.#closed) this.#socket.send(this.#transport.seal(frame))
  }

  async #receive(bytes: Uint8Array, handshake: Handshake): Promise<void> {
    if (this.#closed) return
    try {
      if (this.#transport === undefined) {
        this.#transport = await finish(handshake, bytes)
        this.#events.onOpen()
        return
      }
      const frame = decodeFrame(this.#transport.open(bytes))
      this.#events.onFrame()
      const message = this.#joiner.push(frame)
      if (message !== undefined) this.#events.onMessage(message)
    } catch {
      // Whatever does not open or parse ends the connection: nothing after it could be trusted to be in order.
      this.#fail(this.#transport === undefined ? 'wrong-key' : 'lost')
    }
  }

  #fail(why: 'lost' | 'wrong-key'): void {
    if (this.#closed) return
    this.#closed = true
    this.#socket.close()
    this.#events.onClose(why)
  }
}
