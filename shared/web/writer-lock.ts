const LOCK = 'stave-engine'

/**
 * Resolves when this context is the origin's one writer, and stays so until the context ends (U-04): the lock is never
 * let go, the browser takes it back.
 */
export function becomeWriter(): Promise<void> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(LOCK, () => {
        resolve()
        return new Promise<never>(() => {})
      })
      .catch(reject)
  })
}
