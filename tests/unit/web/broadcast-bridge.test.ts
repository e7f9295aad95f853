import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Serve } from '#app/ports/bridge.ts'
import { serveBroadcastBridge } from '#web/broadcast-bridge.ts'

/** The engine's end of the channel, and whoever asks at the other one. */
class Asker {
  readonly #target = new EventTarget()
  readonly answered: string[] = []
  readonly channel = Object.assign(this.#target, {
    postMessage: ({ id }: { id: string }) => this.answered.push(id), // what is posted is cloned, and not held
  }) as unknown as BroadcastChannel

  ask(id: string): Promise<void> {
    const data = { type: 'ask', id, name: 'revealPhrase', args: null }
    this.#target.dispatchEvent(new MessageEvent('message', { data }))
    return new Promise((resolve) => setImmediate(resolve))
  }
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('the bridge between the tabs and the engine', () => {
  it('carries out once what is asked again, before it was answered and after', async () => {
    const asker = new Asker()
    const carriedOut: string[] = []
    let finish = (): void => {}
    const serve = async (name: string) => {
      carriedOut.push(name)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return []
    }
    serveBroadcastBridge(serve as unknown as Serve, asker.channel)
    await asker.ask('a')
    await asker.ask('a')
    finish()
    await asker.ask('a')
    expect(carriedOut).toEqual(['revealPhrase'])
    expect(asker.answered).toEqual(['a'])
  })

  it('[K-02] holds no answer once it was given: it may be the words', async () => {
    const asker = new Asker()
    const given: WeakRef<readonly string[]>[] = []
    const serve = async () => {
      const words = ['abandon', 'ability']
      given.push(new WeakRef(words))
      return words
    }
    serveBroadcastBridge(serve as unknown as Serve, asker.channel)
    await asker.ask('a')
    await asker.ask('b')
    expect(asker.answered).toEqual(['a', 'b'])
    collect()
    expect(given.map((words) => words.deref())).toEqual([undefined, undefined])
  })
})
