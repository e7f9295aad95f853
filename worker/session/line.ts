import { StateError } from '#core/errors.ts'
import { Transport } from '#core/noise/transport.ts'
import { decodeFrame, encodeFrame, framesOf, Joiner } from '#core/wire/frame.ts'

/** What survives of a connection while its object sleeps. */
type Attachment = { readonly transport: Uint8Array; readonly joining: boolean }

export type LineReceived =
  | { readonly kind: 'cover'; readonly content: Uint8Array }
  | { readonly kind: 'message'; readonly message: Uint8Array }

/**
 * An open Noise channel on its socket. NOI5: the counters are in the socket's attachment before a frame leaves, so that
 * an object that slept never uses one twice. The pieces of an unfinished message are not: a client that sleeps between
 * two of them is asked to start again.
 */
export class Line {
  readonly #socket: WebSocket
  readonly #transport: Transport
  readonly #joiner = new Joiner()

  private constructor(socket: WebSocket, transport: Transport) {
    this.#socket = socket
    this.#transport = transport
  }

  static open(socket: WebSocket, transport: Transport): Line {
    const line = new Line(socket, transport)
    line.#save()
    return line
  }

  static isOpen(socket: WebSocket): boolean {
    return socket.deserializeAttachment() !== null
  }

  /** @returns undefined before the handshake is done @throws StateError 'frame/lost-pieces' */
  static of(socket: WebSocket): Line | undefined {
    const attachment = socket.deserializeAttachment() as Attachment | null
    if (attachment === null) return undefined
    if (attachment.joining) throw new StateError('frame/lost-pieces')
    return new Line(socket, Transport.decode(attachment.transport))
  }

  /** @returns undefined for a piece with more to come */
  receive(bytes: Uint8Array): LineReceived | undefined {
    const frame = decodeFrame(this.#transport.open(bytes))
    const message = this.#joiner.push(frame)
    this.#save()
    if (frame.kind === 'cover') return { kind: 'cover', content: frame.content }
    return message && { kind: 'message', message }
  }

  send(message: Uint8Array): void {
    const sealed = framesOf(message).map((frame) => this.#transport.seal(encodeFrame(frame)))
    this.#save()
    for (const frame of sealed) this.#socket.send(frame)
  }

  /** A frame of this size that says nothing (T-03). */
  cover(sealedBytes: number): void {
    const sealed = this.#transport.seal(encodeFrame({ kind: 'cover', content: new Uint8Array() }, sealedBytes))
    this.#save()
    this.#socket.send(sealed)
  }

  #save(): void {
    const attachment: Attachment = { transport: this.#transport.encode(), joining: this.#joiner.pending }
    this.#socket.serializeAttachment(attachment)
  }
}
