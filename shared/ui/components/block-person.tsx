import { useState } from 'preact/hooks'
import type { PersonView } from '#app/face.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** M-11: what blocking does is said before it; taking it back needs no question. */
export function BlockPerson({ person }: { readonly person: PersonView }) {
  const { face, read, strings } = useModel()
  const t = strings.value.people
  const { isBusy, problem, run } = useAct()
  const [isAsking, setAsking] = useState(false)
  const block = async (blocked: boolean) => {
    await face.setBlocked(person.id, blocked)
    await Promise.all([read.person(), read.people(), read.channels()])
    setAsking(false)
  }
  return (
    <>
      <h2>{t.block}</h2>
      {person.blocked ? (
        <>
          <p class="is-warn">{t.blockedLead}</p>
          <ProblemLine problem={problem} />
          <button type="button" class="button" aria-disabled={isBusy} onClick={() => run(() => block(false))}>
            {t.unblock}
          </button>
        </>
      ) : (
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          {t.block}
        </button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t.blockTitle(person.name)}
          act={t.block}
          isDanger
          onAct={() => block(true)}
          onClose={() => setAsking(false)}
        >
          <p>{t.blockLead}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
