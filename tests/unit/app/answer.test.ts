import { describe, expect, it } from 'vitest'
import { answerOf, replyOf } from '#app/ports/answer.ts'
import { CryptoError, InputError, RelayError, StateError, StoreError, UsageError, WireError } from '#core/errors.ts'

const across = async (error: unknown): Promise<unknown> => {
  const answer = structuredClone(
    await answerOf(async () => {
      throw error
    }),
  )
  try {
    return replyOf(answer)
  } catch (thrown) {
    return thrown
  }
}

describe('an answer of the engine in another context', () => {
  it.each([CryptoError, StateError, StoreError, UsageError, WireError])('keeps its kind and code: %o', async (Kind) => {
    const error = await across(new Kind('some/code'))
    expect(error).toBeInstanceOf(Kind)
    expect(error).toMatchObject({ code: 'some/code' })
  })

  it('keeps what a sentence for a person needs', async () => {
    const input = await across(new InputError('phrase/word', { position: 7 }))
    expect(input).toBeInstanceOf(InputError)
    expect(input).toMatchObject({ code: 'phrase/word', detail: { position: 7 } })
    const relay = await across(new RelayError('quota/rate', { retryable: true, detail: { waitMs: 5 } }))
    expect(relay).toBeInstanceOf(RelayError)
    expect(relay).toMatchObject({ code: 'quota/rate', retryable: true, detail: { waitMs: 5 } })
  })

  it('[R-04] tells nothing of a fault that is not ours but that there was one', async () => {
    const fault = await across(new TypeError('cannot read the secret abc'))
    expect(fault).toBeInstanceOf(UsageError)
    expect(fault).toMatchObject({ code: 'engine/fault' })
    expect(JSON.stringify(await answerOf(() => Promise.reject(new TypeError('abc'))))).not.toContain('abc')
    expect(replyOf(await answerOf(async () => 5))).toBe(5)
  })
})
