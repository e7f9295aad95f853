import { useState } from 'preact/hooks'
import { InvitationCard } from './invitation-card.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './invite-pane.css'

export function InvitePane() {
  const model = useModel()
  const t = model.strings.value.invite
  const [madeId, setMadeId] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()

  const make = async () => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const made = await model.face.createInvitation()
      await model.read.invitations()
      setMadeId(made.id)
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const all = model.invitations.value
  const made = all.find((each) => each.id === madeId)
  const others = all.filter((each) => each.id !== madeId)
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p class="risk">{t.lead}</p>
        <ProblemLine problem={problem} />
        {made !== undefined && <InvitationCard key={made.id} invitation={made} isOpened />}
        <div class="acts">
          <button type="button" class={made ? 'button' : 'button primary'} aria-disabled={isBusy} onClick={make}>
            {isBusy ? t.making : made ? t.another : t.make}
          </button>
          <button type="button" class="text-button" onClick={() => model.shell.router.go({ at: 'accept' })}>
            {model.strings.value.list.accept}
          </button>
          <button type="button" class="text-button" onClick={() => model.shell.router.go({ at: 'find' })}>
            {model.strings.value.findChannel.title}
          </button>
        </div>
        {others.length > 0 && (
          <>
            <h2>{t.openTitle}</h2>
            <ul class="invitations">
              {others.map((each) => (
                <li key={each.id}>
                  <InvitationCard invitation={each} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
