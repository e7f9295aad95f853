import { useEffect, useState } from 'preact/hooks'
import { Choice } from './choice.tsx'
import { InvitationCard } from './invitation-card.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './invite-pane.css'

type When = 'ask' | 'atOnce'

/** A link into a group: what whoever opens it gets is said before it is made (C-12). */
export function GroupLinkPane({ channelId }: { readonly channelId: string }) {
  const { channels, face, invitations, read, strings } = useModel()
  const t = strings.value.groupLink
  const { isBusy, problem, run } = useAct()
  const [when, setWhen] = useState<When>('ask')
  const [madeId, setMadeId] = useState<string>()
  useEffect(() => {
    read.invitations()
  }, [channelId])
  const make = () =>
    run(async () => {
      const made = await face.createInvitation({ channelId, ask: when === 'ask' })
      await read.invitations()
      setMadeId(made.id)
    })
  // In a channel of a space, whoever comes in comes into all of it (C-10).
  const placeId = channels.value?.find(({ id }) => id === channelId)?.space?.id ?? channelId
  const all = invitations.value.filter(({ into }) => into?.channelId === placeId)
  const made = all.find(({ id }) => id === madeId)
  const others = all.filter(({ id }) => id !== madeId)
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} of={channelId} />
      <div class="pane-body">
        <p class="risk">{t.lead}</p>
        <Choice
          label={t.before}
          value={when}
          options={[
            { value: 'ask', label: t.ask, hint: t.askHint },
            { value: 'atOnce', label: t.atOnce, hint: t.atOnceHint },
          ]}
          onChoose={setWhen}
        />
        <ProblemLine problem={problem} />
        {made !== undefined && <InvitationCard key={made.id} invitation={made} isOpened />}
        <div class="acts">
          <button type="button" class={made ? 'button' : 'button primary'} aria-disabled={isBusy} onClick={make}>
            {isBusy ? strings.value.invite.making : made ? strings.value.invite.another : t.make}
          </button>
        </div>
        {others.length > 0 && (
          <>
            <h2>{t.made}</h2>
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
