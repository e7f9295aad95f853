import { DurableObject } from 'cloudflare:workers'
import { CryptoError, WireError } from '#core/errors.ts'
import { respond } from '#core/noise/handshake.ts'
import { PROLOGUE } from '#core/noise/messages.ts'
import { decodeCover } from '#core/wire/cover.ts'
import { MAX_FRAME_BYTES, MAX_UNANSWERED_REQUESTS } from '#core/wire/limits.ts'
import { type Request as Asked, decodeRequest, encodeRefusal } from '#core/wire/message.ts'
import { nowMs } from '../clock.ts'
import type { Env } from '../env.ts'
import { dispatch } from '../ops/dispatch.ts'
import { knownSettings } from '../ops/settings.ts'
import { type Bucket, costOf, costOfOperation, drain, type Flow, fullBucket, waitMsOf } from '../rules/rate.ts'
import { noiseKeyPair } from '../secrets.ts'
import { Line } from '../session/line.ts'
import { yieldToOthers } from '../yield.ts'

const HANDSHAKE_MS = 10_000
/** Why a connection was closed (docs/spec/frame.md). No detail: whoever speaks the protocol needs none. */
const PROTOCOL_ERROR = 4400
const TOO_SLOW = 4408
const START_AGAIN = 4503

/**
 * One connection. It ends Noise, and hands whole requests to the operations; until the handshake is done it does
 * nothing else (T-01). It keeps nothing but what lies in the socket's attachment, and dies with the socket.
 */
export class Session extends DurableObject<Env> {
  #line: Line | undefined
  #handshaking = false
  #unanswered = 0
  #bucket: Bucket | undefined

  override async fetch(_request: Request): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    // A timer and not an alarm: it costs no write, and while one is pending the object does not go to sleep.
    setTimeout(() => {
      if (!Line.isOpen(server)) this.#close(server, TOO_SLOW)
    }, HANDSHAKE_MS)
    return new Response(null, { status: 101, webSocket: client })
  }

  override async webSocketMessage(socket: WebSocket, data: ArrayBuffer | string): Promise<void> {
    try {
      if (typeof data === 'string' || data.byteLength > MAX_FRAME_BYTES) throw new WireError('frame/too-large')
      this.#line ??= Line.of(socket)
      if (this.#line === undefined) await this.#shakeHands(socket, new Uint8Array(data))
      else await this.#receive(this.#line, new Uint8Array(data))
    } catch (error) {
      this.#close(socket, error instanceof WireError || error instanceof CryptoError ? PROTOCOL_ERROR : START_AGAIN)
    }
  }

  override webSocketClose(socket: WebSocket): void {
    this.#close(socket, 1000)
  }

  override webSocketError(socket: WebSocket): void {
    this.#close(socket, 1000)
  }

  /** From a mailbox. @returns whether there is an open connection that took it */
  push(message: Uint8Array): boolean {
    const socket = this.ctx.getWebSockets()[0]
    if (socket === undefined) return false
    try {
      this.#line ??= Line.of(socket)
      this.#line?.send(message)
      return this.#line !== undefined
    } catch {
      this.#close(socket, START_AGAIN)
      return false
    }
  }

  async #shakeHands(socket: WebSocket, message: Uint8Array): Promise<void> {
    if (this.#handshaking) throw new WireError('noise/early') // NOI: the second message is ours
    this.#handshaking = true
    const { message: answer, transport } = await respond(PROLOGUE, await noiseKeyPair(this.env), message)
    this.#line = Line.open(socket, transport)
    socket.send(answer)
  }

  async #receive(line: Line, bytes: Uint8Array): Promise<void> {
    const received = line.receive(bytes)
    if (received === undefined) return
    if (received.kind === 'cover') {
      const answerBytes = decodeCover(received.content)
      const waitMs = this.#take(costOf(bytes.length + answerBytes))
      await yieldToOthers()
      if (answerBytes > 0 && waitMs === 0) line.cover(answerBytes)
      return
    }
    const request = decodeRequest(received.message)
    const waitMs = this.#take(costOf(received.message.length) + costOfOperation(request.op))
    if (this.#unanswered >= MAX_UNANSWERED_REQUESTS) throw new WireError('session/unanswered')
    this.#unanswered++
    try {
      const answer = await this.#answer(request, waitMs)
      await yieldToOthers()
      this.#charge(costOf(answer.length) - 1)
      line.send(answer)
    } finally {
      this.#unanswered--
    }
  }

  async #answer(request: Asked, waitMs: number): Promise<Uint8Array> {
    if (waitMs > 0) return encodeRefusal(request.id, { code: 'quota/rate', retryable: true, waitMs })
    return dispatch({ env: this.env, session: this.ctx.id.toString() }, request, (cost) => this.#charge(cost))
  }

  /** @returns how long the client has to wait, when it asks for more than its share; then it is not charged */
  #take(cost: number): number {
    const before = this.#bucket
    this.#charge(cost)
    const waitMs = this.#bucket ? waitMsOf(this.#bucket, this.#flow()) : 0
    if (waitMs > 0) this.#bucket = before
    return waitMs
  }

  #charge(cost: number): void {
    const atMs = nowMs()
    this.#bucket = drain(this.#bucket ?? fullBucket(this.#flow(), atMs), this.#flow(), cost, atMs)
  }

  #flow(): Flow {
    const { requestBurst, requestsPerSecond } = knownSettings(this.env)
    return { burst: requestBurst, perSecond: requestsPerSecond }
  }

  #close(socket: WebSocket, code: number): void {
    try {
      socket.close(code)
    } catch {
      // It is closed already.
    }
  }
}
