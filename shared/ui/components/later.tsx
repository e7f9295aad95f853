import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ProblemLine } from './problem-line.tsx'

/** A pane that few people open is loaded when somebody does, so that the first page stays small. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Later(props: P) {
    const [, setLoaded] = useState(loaded !== undefined)
    const [problem, setProblem] = useState<unknown>()
    useEffect(() => {
      if (loaded !== undefined) return
      load().then((Pane) => {
        loaded = Pane
        setLoaded(true)
      }, setProblem)
    }, [])
    if (loaded === undefined) return <ProblemLine problem={problem} />
    const Pane = loaded
    return <Pane {...props} />
  }
}
