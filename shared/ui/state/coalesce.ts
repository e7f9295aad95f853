/** One run at a time: calls that come while one runs are answered by one more run at its end. */
export function coalesce(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    try {
      do {
        again = false
        await act()
      } while (again)
    } finally {
      running = undefined
    }
  }
  return () => {
    if (running === undefined) {
      running = run()
    } else again = true
    return running
  }
}
