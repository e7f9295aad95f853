import type { Clock } from '#app/ports/clock.ts'
import type { Push, Relay, RelayEvents, RelayState, RelayTarget } from '#app/ports/relay.ts'
import { fromBase64url } from '#core/bytes/base64url.ts'
import type { Dice } from '#core/crypto/random.ts'
import { RelayError, WireError } from '#core/errors.ts'
import { MAX_UNANSWERED_REQUESTS } from '#core/wire/limits.ts'
import { decodeReceived, encodeRequest, type Refusal } from '#core/wire/message.ts'
import { type ArgsOf, type OperationName, operations, type ReplyOf } from '#core/wire/operations.ts'
import { backoffMs } from './backoff.ts'
import { coverDelayMs } from './cover.ts'
import { NoiseSocket, type Socket } from './noise-socket.ts'

/** Whoever is asked and is not heard of for so long is not there: the connection is half open. */
const HEARD_WITHIN_MS = 20_000
/** What is on its way up takes its time, on the slowest line that is waited for: 32 kbit/s. */
const SLOWEST_BYTES_A_MS = 4
/** An answer that is not in what is heard all the while. */
const ANSWER_WITHIN_MS = 10 * 60_000
const CONNECT_WITHIN_MS = 15_000

type Waiting = {
  readonly operation: OperationName
  readonly bytes: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: RelayError) => void
  readonly cancel: () => void
}

export type RelayClientDeps = {
  readonly clock: Clock
  readonly dice: Dice
  readonly openSocket: (url: string) => Socket
  readonly fetchJson: (url: string) => Promise<unknown>
  /** Is cover wanted at this moment? In an extension it would keep a worker awake that nobody needs. */
  readonly mayCover?: () => boolean
}

/** The relay port on one WebSocket: connects again by itself, matches answers to requests, sends cover (T-01, T-03). */
export class RelayClient implements Relay {
  readonly #deps: RelayClientDeps
  readonly #waiting = new Map<number, Waiting>()
  readonly #queue: (() => void)[] = []
  #target: RelayTarget | undefined
  #events: RelayEvents | undefined
  #socket: NoiseSocket | undefined
  #open = false
  #nextId = 1
  #failures = 0
  #wasRefused = false
  #cancelRetry: (() => void) | undefined
  #cancelTimeout: (() => void) | undefined
  #cover: 'off' | 'light' = 'off'
  #cancelCover: (() => void) | undefined
  #cancelDeadline: (() => void) | undefined
  /** A frame that asks for another one is out. */
  #isProbing = false
  #heardAtMs = 0

  constructor(deps: RelayClientDeps) {
    this.#deps = deps
  }

  start(target: RelayTarget, events: RelayEvents): void {
    this.#target = target
    this.#events = events
    this.#failures = 0
    this.#connect()
  }

  nudge(): void {
    if (this.#target === undefined) return
    if (this.#socket === undefined) this.#connect()
    else if (this.#deps.clock.now() - this.#heardAtMs > HEARD_WITHIN_MS) this.#probe() // it may be long dead
  }

  stop(): void {
    this.#target = undefined
    this.#drop()
  }

  cover(mode: 'off' | 'light'): void {
    this.#cover = mode
    this.#planCover()
  }

  async askRealmKey(origin: string): Promise<Uint8Array> {
    try {
      const answer = await this.#deps.fetchJson(`${origin}/realm.json`)
      const { noiseKey } = answer as { noiseKey?: unknown }
      const key = fromBase64url(typeof noiseKey === 'string' ? noiseKey : '')
      if (key.length === 32) return key
    } catch (cause) {
      throw new RelayError('relay/unreachable', { retryable: true, cause })
    }
    throw new RelayError('realm/not-a-realm', { retryable: false })
  }

  call<O extends OperationName>(operation: O, args: ArgsOf<O>): Promise<ReplyOf<O>> {
    return new Promise<ReplyOf<O>>((resolve, reject) => {
      const send = (): void => {
        if (!this.#open || this.#socket === undefined) {
          reject(unreachable())
          return
        }
        const id = this.#nextId++
        let bytes = 0
        try {
          const message = encodeRequest(id, operation, args)
          bytes = message.length
          this.#socket.send(message)
        } catch (error) {
          reject(error) // it never left: nobody is to wait for its answer
          return
        }
        const cancel = this.#deps.clock.after(ANSWER_WITHIN_MS, () => this.#lost('lost'))
        this.#waiting.set(id, { operation, bytes, resolve: (value) => resolve(value as ReplyOf<O>), reject, cancel })
        if (this.#cancelDeadline === undefined) this.#expect()
      }
      if (this.#waiting.size < MAX_UNANSWERED_REQUESTS) send()
      else this.#queue.push(send)
    })
  }

  #connect(): void {
    if (this.#target === undefined || this.#socket !== undefined) return
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    if (!this.#wasRefused) this.#tell({ state: 'connecting' }) // a relay with another key stays one until it shows the right one
    const { origin, noiseKey } = this.#target
    const url = `${origin.replace(/^http/, 'ws')}/v1`
    this.#cancelTimeout = this.#deps.clock.after(CONNECT_WITHIN_MS, () => this.#lost('lost'))
    try {
      this.#socket = new NoiseSocket(this.#deps.openSocket(url), noiseKey, this.#deps.dice, {
        onOpen: () => this.#opened(),
        onFrame: () => this.#heard(),
        onMessage: (message) => this.#received(message),
        onClose: (why) => this.#lost(why),
      })
    } catch {
      this.#lost('lost')
    }
  }

  #opened(): void {
    this.#cancelTimeout?.()
    this.#open = true
    this.#heardAtMs = this.#deps.clock.now()
    this.#wasRefused = false
    this.#tell({ state: 'online' })
    this.#planCover()
  }

  #heard(): void {
    this.#failures = 0 // a relay that opens and says nothing more is not come back to at once, again and again
    this.#heardAtMs = this.#deps.clock.now()
    this.#isProbing = false
    this.#expect()
  }

  /** Something is to be heard from now on, while anything waits for it. */
  #expect(): void {
    this.#cancelDeadline?.()
    this.#cancelDeadline = undefined
    if (!this.#open || (this.#waiting.size === 0 && !this.#isProbing)) return
    let bytes = 0
    for (const waiting of this.#waiting.values()) bytes += waiting.bytes
    const withinMs = HEARD_WITHIN_MS + Math.ceil(bytes / SLOWEST_BYTES_A_MS)
    this.#cancelDeadline = this.#deps.clock.after(withinMs, () => this.#lost('lost'))
  }

  #probe(): void {
    if (!this.#open) return
    this.#socket?.cover()
    this.#isProbing = true
    if (this.#cancelDeadline === undefined) this.#expect()
  }

  #received(bytes: Uint8Array): void {
    let message: ReturnType<typeof decodeReceived>
    try {
      message = decodeReceived(bytes)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#lost('lost') // not our protocol: better none than half of one
      return
    }
    if (message.kind === 'push') {
      this.#events?.onPush({ name: message.name, value: message.value } as Push)
      return
    }
    const waiting = this.#waiting.get(message.id)
    if (waiting === undefined) return
    this.#waiting.delete(message.id)
    waiting.cancel()
    if (message.kind === 'refusal') waiting.reject(refused(message.refusal))
    else this.#answer(waiting, message.value)
    while (this.#queue.length > 0 && this.#waiting.size < MAX_UNANSWERED_REQUESTS) this.#queue.shift()?.()
    if (this.#waiting.size === 0) this.#expect() // nothing more
  }

  #answer(waiting: Waiting, value: unknown): void {
    try {
      waiting.resolve(operations[waiting.operation].reply.check(value))
    } catch (cause) {
      waiting.reject(new RelayError('relay/bad-answer', { retryable: true, cause }))
    }
  }

  #lost(why: 'lost' | 'wrong-key'): void {
    const wasStopped = this.#target === undefined
    this.#drop()
    if (wasStopped) return
    this.#failures++
    this.#wasRefused ||= why === 'wrong-key'
    this.#tell(this.#wasRefused ? { state: 'refused', why: 'wrong-realm' } : { state: 'offline' })
    this.#cancelRetry = this.#deps.clock.after(backoffMs(this.#failures, this.#deps.dice), () => this.#connect())
  }

  #drop(): void {
    this.#open = false
    this.#cancelRetry?.()
    this.#cancelTimeout?.()
    this.#cancelCover?.()
    this.#cancelDeadline?.()
    this.#cancelDeadline = undefined
    this.#isProbing = false
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    for (const waiting of this.#waiting.values()) {
      waiting.cancel()
      waiting.reject(unreachable())
    }
    this.#waiting.clear()
    for (const send of this.#queue.splice(0)) send() // each is refused: there is no connection
  }

  #planCover(): void {
    this.#cancelCover?.()
    this.#cancelCover = undefined
    if (!this.#open || this.#cover === 'off') return
    this.#cancelCover = this.#deps.clock.after(coverDelayMs(this.#deps.dice), () => {
      if (this.#deps.mayCover?.() ?? true) this.#probe()
      this.#planCover()
    })
  }

  #tell(state: RelayState): void {
    this.#events?.onState(state)
  }
}

function unreachable(): RelayError {
  return new RelayError('relay/unreachable', { retryable: true })
}

function refused({ code, retryable, ...detail }: Refusal): RelayError {
  return new RelayError(code, { retryable, detail })
}
