import { env, SELF } from 'cloudflare:test'
import { fromBase64url } from '#core/bytes/base64url.ts'
import { RelayError } from '#core/errors.ts'
import { finish, initiate, staticKeyPair } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import type { Transport } from '#core/noise/transport.ts'
import { encodeCover } from '#core/wire/cover.ts'
import { decodeFrame, encodeFrame, framesOf, Joiner } from '#core/wire/frame.ts'
import { decodeReceived, encodeRequest } from '#core/wire/message.ts'
import { type ArgsOf, type OperationName, operations, type ReplyOf } from '#core/wire/operations.ts'
import type { Env } from '../../worker/env.ts'

export const relayEnv = env as unknown as Env

export async function realmKey(): Promise<Uint8Array> {
  return (await staticKeyPair(fromBase64url(relayEnv.NOISE_KEY))).publicKey
}

/** A socket to the relay whose frames are read one by one. */
export class RawSocket {
  readonly socket: WebSocket
  readonly #frames: Uint8Array[] = []
  #waiting: ((frame: Uint8Array | undefined) => void)[] = []
  closedWith: number | undefined

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }) => {
      const frame = new Uint8Array(data as ArrayBuffer)
      const next = this.#waiting.shift()
      if (next) next(frame)
      else this.#frames.push(frame)
    })
    socket.addEventListener('close', ({ code }) => {
      this.closedWith = code
      for (const waiting of this.#waiting) waiting(undefined)
      this.#waiting = []
    })
    socket.accept()
  }

  static async open(): Promise<RawSocket> {
    const { webSocket } = await SELF.fetch('https://relay/v1', { headers: { upgrade: 'websocket' } })
    if (webSocket === null) throw new Error('no socket')
    return new RawSocket(webSocket)
  }

  /** @returns undefined when the socket was closed instead */
  next(): Promise<Uint8Array | undefined> {
    const frame = this.#frames.shift()
    if (frame || this.closedWith !== undefined) return Promise.resolve(frame)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** The client's side of the wire, by hand: Noise, frames, requests. */
export class WireClient {
  readonly raw: RawSocket
  readonly transport: Transport
  readonly pushes: unknown[] = []
  readonly frameSizes: number[] = []
  readonly #joiner = new Joiner()
  #nextId = 1

  constructor(raw: RawSocket, transport: Transport) {
    this.raw = raw
    this.transport = transport
  }

  static async connect(): Promise<WireClient> {
    const raw = await RawSocket.open()
    const { message, handshake } = await initiate(PROLOGUE, await realmKey())
    raw.socket.send(message)
    const answer = await raw.next()
    if (answer === undefined) throw new Error('refused')
    return new WireClient(raw, await finish(handshake, answer))
  }

  /** More than one frame at a time may reach an object out of order here: the test pool loads it anew before each event. */
  send(message: Uint8Array): void {
    for (const frame of framesOf(message)) this.raw.socket.send(this.transport.seal(encodeFrame(frame)))
  }

  coverFrame(answerBytes: number, sealedBytes = 256): Uint8Array {
    return this.transport.seal(encodeFrame({ kind: 'cover', content: encodeCover(answerBytes) }, sealedBytes))
  }

  cover(answerBytes: number, sealedBytes = 256): void {
    this.raw.socket.send(this.coverFrame(answerBytes, sealedBytes))
  }

  /** @returns the next whole message, or 'cover'; undefined when closed */
  async receive(): Promise<Uint8Array | 'cover' | undefined> {
    for (;;) {
      const sealed = await this.raw.next()
      if (sealed === undefined) return undefined
      this.frameSizes.push(sealed.length)
      const frame = decodeFrame(this.transport.open(sealed))
      if (frame.kind === 'cover') return 'cover'
      const message = this.#joiner.push(frame)
      if (message) return message
    }
  }

  async call<O extends OperationName>(op: O, args: ArgsOf<O>): Promise<ReplyOf<O>> {
    const id = this.#nextId++
    this.send(encodeRequest(id, op, args))
    for (;;) {
      const bytes = await this.receive()
      if (bytes === undefined) throw new RelayError('relay/unreachable', { retryable: true })
      if (bytes === 'cover') continue
      const message = decodeReceived(bytes)
      if (message.kind === 'push') {
        this.pushes.push(message)
        continue
      }
      if (message.id !== id) throw new Error('an answer to something else')
      if (message.kind === 'reply') return operations[op].reply.check(message.value) as ReplyOf<O>
      const { code, retryable, ...detail } = message.refusal
      throw new RelayError(code, { retryable, detail })
    }
  }

  async message(): Promise<Uint8Array> {
    const bytes = await this.receive()
    if (!(bytes instanceof Uint8Array)) throw new Error('no message')
    return bytes
  }
}
