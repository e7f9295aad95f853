import { Link } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { JoinItem } from './join-item.tsx'
import { useModel } from './use-model.ts'
import { useNearFocus } from './use-near-focus.ts'
import { useRead } from './use-read.ts'
import './step-link.css'

type Props = { readonly details: ChannelDetails; readonly isIn: boolean }

/** How others come in: a link, the group's name, and who waits for an answer (C-09, C-12). */
export function DetailsJoins({ details, isIn }: Props) {
  const { face, shell, strings } = useModel()
  const t = strings.value.joins
  const { id, named } = details
  const waiting = useRead('channels', () => face.joinRequests(id), id) ?? []
  const near = useNearFocus<HTMLUListElement>()
  const mayLetIn = isIn && details.can.add
  useEffect(() => {
    if (mayLetIn && named?.state === 'registered') face.lookForJoins(id).catch(() => undefined) // no engine answers now
  }, [id, mayLetIn, named?.state])
  return (
    <>
      {named !== undefined && (
        <div data-testid="channel-name">
          <p class="hint">{t.named}</p>
          <p class="exact">{named.name}</p>
          {named.state !== 'registered' && <p class={named.state === 'taken' ? 'risk' : 'hint'}>{t[named.state]}</p>}
          {named.swapped && <p class="risk">{t.swapped}</p>}
        </div>
      )}
      {mayLetIn && (
        <button type="button" class="button" onClick={() => shell.router.go({ at: 'groupLink', channelId: id })}>
          <Link size={16} />
          {strings.value.groupLink.title}
        </button>
      )}
      {waiting.length > 0 && (
        <>
          <h2>{t.title}</h2>
          <ul class="steps" aria-live="polite" {...near}>
            {waiting.map((join) => (
              <li key={join.id}>
                <JoinItem join={join} mayAnswer={mayLetIn} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
