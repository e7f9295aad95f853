import { describe, expect, it } from 'vitest'
import { Guard } from '#app/engine/guard.ts'
import type { Clock } from '#app/ports/clock.ts'
import { Timers } from '#app/timers.ts'
import { RelayError, StoreError } from '#core/errors.ts'

function guarded(isConnecting = false) {
  const due: { delayMs: number; run: () => void }[] = []
  const clock: Clock = {
    now: () => 0,
    after: (delayMs, run) => {
      due.push({ delayMs, run })
      return () => undefined
    },
  }
  const said: unknown[] = []
  const guard = new Guard({
    timers: new Timers(clock),
    isStopped: () => false,
    isConnecting: () => isConnecting,
    fenced: () => said.push('fenced'),
    shutOut: () => said.push('shut out'),
    faulty: (error) => said.push(error),
  })
  const fail = (error: unknown, again = (): void => undefined) => guard.run('a', () => Promise.reject(error), again)
  return { due, said, fail }
}

describe('what goes wrong in a turn of the engine', () => {
  it('a fault of the program is not hidden, and what it stopped is tried again', async () => {
    const { due, said, fail } = guarded()
    const fault = new TypeError('no such thing')
    let again = 0
    await fail(fault, () => again++)
    expect(said).toEqual([fault])
    due[0]?.run()
    expect(again).toBe(1)
  })

  it('what the relay refuses for now is tried again when it says, later each time', async () => {
    const { due, said, fail } = guarded()
    await fail(new RelayError('relay/busy', { retryable: true, detail: { waitMs: 9_000 } }))
    due[0]?.run()
    await fail(new RelayError('relay/busy', { retryable: true }))
    expect(due.map(({ delayMs }) => delayMs)).toEqual([9_000, 2_000])
    expect(said).toEqual([])
  })

  it('a lost connection waits for the next one, a lost writer stops, a closed log is looked into', async () => {
    const { due, said, fail } = guarded(true)
    await fail(new RelayError('relay/unreachable', { retryable: true }))
    await fail(new StoreError('store/fenced'))
    expect(due).toEqual([])
    await fail(new RelayError('log/refused', { retryable: false }))
    expect(said).toEqual(['fenced', 'shut out'])
  })
})
