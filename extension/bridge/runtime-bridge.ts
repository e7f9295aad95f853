import { browser } from 'wxt/browser'
import { type Answer, answerOf, replyOf } from '#app/ports/answer.ts'
import type { Bridge, RequestArgs, RequestName, RequestReply, Serve } from '#app/ports/bridge.ts'
import { type Ask, isOwnPage, readAsk } from './messages.ts'
import { fromPlain, toPlain } from './plain.ts'

/** A face's side: the browser wakes the background for each message, dead or alive. */
export function makeRuntimeBridge(): Bridge {
  return {
    async request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
      const ask: Ask = { type: 'stave/ask', name, args: toPlain(args) }
      return replyOf(fromPlain(await browser.runtime.sendMessage(ask)) as Answer) as RequestReply<R>
    },
  }
}

/** The background's side; registered synchronously, so that the message which woke it is heard. */
export function serveRuntimeBridge(serve: Serve): void {
  const ownOrigin = location.origin
  browser.runtime.onMessage.addListener((message: unknown, sender, reply: (answer: unknown) => void) => {
    const ask = readAsk(message)
    if (ask === undefined || !isOwnPage(sender, browser.runtime.id, ownOrigin)) return false
    void answerOf(async () => serve(ask.name, fromPlain(ask.args) as never)).then((answer) => reply(toPlain(answer)))
    return true
  })
}
