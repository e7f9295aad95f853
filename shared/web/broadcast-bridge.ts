import { type Answer, answerOf, replyOf } from '#app/ports/answer.ts'
import type { Bridge, RequestArgs, RequestName, RequestReply, Serve } from '#app/ports/bridge.ts'
import { RelayError } from '#core/errors.ts'

/**
 * The bridge of the web app. Any tab may die at any moment and the engine with it, so a request is said again until it is
 * answered; an engine that knows its id carries it out no second time, a new one does (each request allows that).
 */
const CHANNEL = 'stave-bridge'
const AGAIN_AFTER_MS = 700
const GIVE_UP_AFTER_MS = 60_000
const REMEMBERED = 256

type Message =
  | { readonly type: 'ask'; readonly id: string; readonly name: RequestName; readonly args: unknown }
  | { readonly type: 'answer'; readonly id: string; readonly answer: Answer }

export function makeBroadcastBridge(): Bridge {
  const channel = new BroadcastChannel(CHANNEL)
  const waiting = new Map<string, (answer: Answer) => void>()
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'answer') waiting.get(data.id)?.(data.answer)
  })

  return {
    async request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
      const id = crypto.randomUUID()
      const ask = (): void => channel.postMessage({ type: 'ask', id, name, args } satisfies Message)
      const answer = await new Promise<Answer>((resolve, reject) => {
        const again = setInterval(ask, AGAIN_AFTER_MS)
        const end = (): void => {
          clearInterval(again)
          clearTimeout(limit)
          waiting.delete(id)
        }
        const limit = setTimeout(() => {
          end()
          reject(new RelayError('engine/silent', { retryable: true }))
        }, GIVE_UP_AFTER_MS)
        waiting.set(id, (given) => {
          end()
          resolve(given)
        })
        ask()
      })
      return replyOf(answer) as RequestReply<R>
    },
  }
}

/** Called by the context that holds the lock, and by no other. */
export function serveBroadcastBridge(serve: Serve, channel = new BroadcastChannel(CHANNEL)): void {
  const known = new Set<string>() // ids alone: an answer may be the 24 words (K-02), and is said once
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type !== 'ask' || known.has(data.id)) return
    known.add(data.id)
    for (const oldest of known) {
      if (known.size <= REMEMBERED) break
      known.delete(oldest)
    }
    const answering = answerOf(() => serve(data.name, data.args as never))
    void answering.then((answer) => channel.postMessage({ type: 'answer', id: data.id, answer } satisfies Message))
  })
}
