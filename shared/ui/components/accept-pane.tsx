import { useEffect, useState } from 'preact/hooks'
import type { InvitationPreview } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { Scan } from './scan.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** An invitation that was opened as a link, or a box to paste one into. What it brings beside a contact is said first (C-12). */
export function AcceptPane() {
  const model = useModel()
  const t = model.strings.value.accept
  const waiting = model.invitationLink.value
  const { isBusy, problem, setProblem, run } = useAct()
  const [pasted, setPasted] = useState('')
  const [seen, setSeen] = useState<{ readonly link: string; readonly preview: InvitationPreview }>()

  const accept = (link: string) => {
    if (link === '') return
    run(async () => {
      const preview = seen?.link === link ? undefined : await model.face.lookAtInvitation(link)
      if (preview?.channel === undefined) await model.acceptInvitation(link)
      else setSeen({ link, preview })
    })
  }
  const forget = () => {
    model.invitationLink.value = undefined
    setSeen(undefined)
    setPasted('')
    setProblem(undefined)
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
          accept(seen?.link ?? waiting ?? pasted.trim())
        }}
      >
        {seen === undefined ? <p>{waiting === undefined ? t.lead : t.waiting}</p> : <Seen preview={seen.preview} />}
        {seen === undefined && waiting === undefined && (
          <>
            <Field label={t.paste} value={pasted} onInput={setPasted} isExact />
            <Scan onFound={setPasted} />
          </>
        )}
        <p class="hint">{t.notVerified}</p>
        <ProblemLine problem={problem} />
        <div class="acts">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
            {isBusy ? t.accepting : t.accept}
          </button>
          {seen !== undefined && (
            <button type="button" class="button" onClick={() => model.shell.router.back()}>
              {t.notNow}
            </button>
          )}
          {waiting !== undefined && problem !== undefined && (
            <button type="button" class="button" onClick={forget}>
              {t.other}
            </button>
          )}
        </div>
      </form>
    </section>
  )
}

function Seen({ preview }: { readonly preview: InvitationPreview }) {
  const { strings } = useModel()
  const t = strings.value.accept
  const name = isolate(preview.name === '' ? strings.value.details.unknown : preview.name)
  const { channel } = preview
  return (
    <div role="status" data-testid="preview">
      <p>{channel !== undefined && t.into(name, isolate(channel.title))}</p>
      <p>{channel?.ask ? t.asks(name) : t.atOnce(name)}</p>
      <p class="hint">{t.taken}</p>
    </div>
  )
}
