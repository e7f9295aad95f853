import type { PersonView } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** What the directory did, in plain words; until somebody has looked, nothing goes to a verified person (K-11, I-02). */
export function PersonProblem({ person }: { readonly person: PersonView }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.people
  const { isBusy, problem, run } = useAct()
  if (person.problem === undefined && !person.stopped) return null
  const looked = () =>
    run(async () => {
      await face.lookedAt(person.id)
      await Promise.all([read.person(), read.people()])
    })
  return (
    <div class="person-problem" role="status" data-problem={person.problem?.kind}>
      {person.problem !== undefined && (
        <>
          <p>{t.kinds[person.problem.kind]}</p>
          <p class="hint">{times.value.full(person.problem.atMs)}</p>
        </>
      )}
      {person.stopped && <p class="is-warn">{t.stopped}</p>}
      <p class="hint">{t.lookFirst}</p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="button" class="button" aria-disabled={isBusy} onClick={looked}>
          {t.looked}
        </button>
      </div>
    </div>
  )
}
