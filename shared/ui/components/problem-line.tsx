import { useModel } from './use-model.ts'
import './problem-line.css'

/** What went wrong with the act beside it, in a sentence; nothing when nothing did. */
export function ProblemLine({ problem }: { readonly problem: unknown }) {
  const model = useModel()
  return (
    <div role="alert" class="problem">
      {problem !== undefined && <p>{model.say(problem)}</p>}
    </div>
  )
}
