import { useState } from 'preact/hooks'
import type { PersonView } from '#app/face.ts'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** M-11: what blocking does is said before it; taking it back needs no question. */
export function BlockPerson({ person }: { readonly person: PersonView }) {
  const { face, read, strings } = useModel()
  const t = strings.value.people
  const { isBusy, problem, run } = useAct()
  const [isAsking, setAsking] = useState(false)
  const block = (blocked: boolean) =>
    run(async () => {
      await face.setBlocked(person.id, blocked)
      await Promise.all([read.person(), read.people(), read.channels()])
      setAsking(false)
    })
  return (
    <>
      <h2>{t.block}</h2>
      {person.blocked ? (
        <>
          <p class="is-warn">{t.blockedLead}</p>
          <ProblemLine problem={problem} />
          <button type="button" class="button" aria-disabled={isBusy} onClick={() => block(false)}>
            {t.unblock}
          </button>
        </>
      ) : (
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          {t.block}
        </button>
      )}
      {isAsking && (
        <Dialog title={t.blockTitle(person.name)} onClose={() => setAsking(false)}>
          <p>{t.blockLead}</p>
          <ProblemLine problem={problem} />
          <div class="acts">
            <button type="button" class="button danger" aria-disabled={isBusy} onClick={() => block(true)}>
              {t.block}
            </button>
            <button type="button" class="button" onClick={() => setAsking(false)}>
              {strings.value.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
