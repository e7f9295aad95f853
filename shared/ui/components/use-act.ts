import { useState } from 'preact/hooks'

/** One act at a time, and what went wrong with the last one. */
export function useAct() {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const run = async (act: () => Promise<unknown>) => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await act()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, setProblem, run }
}
