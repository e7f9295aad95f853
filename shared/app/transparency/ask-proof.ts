import { RelayError } from '#core/errors.ts'

/** A relay that refuses for good to prove what it showed has no proof; what may pass is asked again later. */
export async function askProof<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof RelayError && !error.retryable) return undefined
    throw error
  }
}
