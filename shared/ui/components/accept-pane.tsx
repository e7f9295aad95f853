import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'

/** An invitation that was opened as a link, or a box to paste one into. */
export function AcceptPane() {
  const model = useModel()
  const t = model.strings.value.accept
  const waiting = model.invitationLink.value
  const [pasted, setPasted] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()

  const accept = async (link: string) => {
    if (isBusy || link === '') return
    setBusy(true)
    setProblem(undefined)
    try {
      await model.acceptInvitation(link)
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }
  useEffect(() => {
    if (!model.acceptsAtOnce.peek() || waiting === undefined) return
    model.acceptsAtOnce.value = false
    accept(waiting)
  }, [])

  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <form
        class="pane-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          accept(waiting ?? pasted.trim())
        }}
      >
        <p>{waiting === undefined ? t.lead : t.waiting}</p>
        {waiting === undefined && <Field label={t.paste} value={pasted} onInput={setPasted} isExact />}
        <p class="hint">{t.notVerified}</p>
        <ProblemLine problem={problem} />
        <div class="acts">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
            {isBusy ? t.accepting : t.accept}
          </button>
          {waiting !== undefined && problem !== undefined && (
            <button
              type="button"
              class="button"
              onClick={() => {
                model.invitationLink.value = undefined
                setProblem(undefined)
              }}
            >
              {t.other}
            </button>
          )}
        </div>
      </form>
    </section>
  )
}
