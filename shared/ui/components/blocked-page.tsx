import type { Problem } from '#app/face.ts'
import { Mark } from './mark.tsx'
import { useModel } from './use-model.ts'

/** Data can't be used: what happened, what is safe, what to do. Never a quiet new identity (U-07). */
export function BlockedPage({ problem }: { readonly problem: Problem }) {
  const { strings } = useModel()
  const t = strings.value.problems[problem]
  return (
    <main class="page blocked" data-problem={problem}>
      <Mark size={40} />
      <h1>{t.title}</h1>
      <p>{t.what}</p>
      <p>{t.safe}</p>
      <p>{t.advice}</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {strings.value.reload}
      </button>
    </main>
  )
}
