import { type Answer, answerOf, replyOf } from '#app/ports/answer.ts'
import type { Bridge, RequestArgs, RequestName, RequestReply, Serve } from '#app/ports/bridge.ts'
import { RelayError } from '#core/errors.ts'

/**
 * The bridge of the web app. Any tab may die at any moment and the engine with it, so a request is said again until it is
 * answered; an engine that knows its id answers from memory, a new one carries it out anew (each request allows that).
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

/** Called by the context that holds the lock, and by no other. @returns a way to forget what was answered so far (K-10) */
export function serveBroadcastBridge(serve: Serve): { readonly forget: () => void } {
  const channel = new BroadcastChannel(CHANNEL)
  const answers = new Map<string, Promise<Answer>>()
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type !== 'ask') return
    const known = answers.get(data.id)
    if (known !== undefined) return
    const answering = answerOf(() => serve(data.name, data.args as never))
    answers.set(data.id, answering)
    for (const oldest of answers.keys()) {
      if (answers.size <= REMEMBERED) break
      answers.delete(oldest)
    }
    void answering.then((answer) => channel.postMessage({ type: 'answer', id: data.id, answer } satisfies Message))
  })
  return { forget: () => answers.clear() }
}
