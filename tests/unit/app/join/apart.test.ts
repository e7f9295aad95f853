import { expect, it } from 'vitest'
import { makeApart } from '#app/join/apart.ts'
import { RelayError, StoreError } from '#core/errors.ts'

const NOW_MS = 1_000_000
const clock = { now: () => NOW_MS, after: () => () => {} }
const failing = (error: Error) => () => Promise.reject(error)

it('[NAM8] what fails of one is tried again in a minute or two, once however often it was seen, or when the relay says', async () => {
  const times: number[] = []
  const apart = makeApart(clock, (atMs) => times.push(atMs))
  const failed = failing(new RelayError('relay/failed', { retryable: true }))
  expect([await apart(failed), await apart(async () => 'the next one'), await apart(failed)]).toEqual([
    undefined,
    'the next one',
    undefined,
  ])
  await apart(failing(new RelayError('quota/asks', { retryable: true, detail: { waitMs: 600_000 } })))
  const [first = 0, second, third = 0] = times
  expect([first - NOW_MS > 60_000, first - NOW_MS <= 120_000, second]).toEqual([true, true, first])
  expect(third - NOW_MS).toBeGreaterThan(600_000)
})

it('a lost connection, a store that fails and a fault of the program end it all', async () => {
  const apart = makeApart(clock, () => {})
  const errors = [
    new RelayError('relay/unreachable', { retryable: true }),
    new StoreError('store/failed'),
    new TypeError(),
  ]
  for (const error of errors) await expect(apart(failing(error))).rejects.toBe(error)
})
