import { Copy, Share2 } from 'lucide-preact'
import { useId, useState } from 'preact/hooks'
import type { InvitationView } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { sayCode } from '../strings/say-error.ts'
import { ProblemLine } from './problem-line.tsx'
import { Qr } from './qr.tsx'
import { RouteLink } from './route-link.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly invitation: InvitationView; readonly isOpened?: boolean }

export function InvitationCard({ invitation, isOpened = false }: Props) {
  const model = useModel()
  const { groupLink: ofGroup, invite: t } = model.strings.value
  const [isShown, setShown] = useState(isOpened)
  const [problem, setProblem] = useState<unknown>()
  const isOpen = invitation.state === 'open'
  const { into } = invitation
  const came = model.channels.value?.find(({ id }) => id === invitation.channelId)
  const revoke = async () => {
    setProblem(undefined)
    try {
      await model.face.revokeInvitation(invitation.id)
      await model.read.invitations()
    } catch (error) {
      setProblem(error)
    }
  }
  return (
    <div class="invitation" data-testid="invitation" data-state={invitation.state}>
      {isOpen && isShown && <LinkToSend link={invitation.link} />}
      <div class="invitation-foot">
        <span class="invitation-state">
          {isOpen ? t.expires(model.times.value.full(invitation.expiresAtMs)) : t.state[invitation.state]}
        </span>
        {into !== undefined && (
          <span class="invitation-state" data-testid="into">
            {into.title === '' ? t.intoGone : t.into(isolate(into.title))}
            {into.state === 'open' ? ` · ${into.ask ? ofGroup.ask : ofGroup.atOnce}` : ` · ${t.came[into.state]}`}
            {into.why !== undefined && ` ${sayCode(model.strings.value, into.why)}`}
          </span>
        )}
        {came !== undefined && (
          <RouteLink to={{ at: 'channel', channelId: came.id }}>{t.toConversation(isolate(came.title))}</RouteLink>
        )}
        {isOpen && !isOpened && (
          <button type="button" class="text-button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? t.hide : t.show}
          </button>
        )}
        {isOpen && (
          <button type="button" class="text-button is-danger" onClick={revoke}>
            {t.revoke}
          </button>
        )}
      </div>
      <ProblemLine problem={problem} />
    </div>
  )
}

function LinkToSend({ link }: { readonly link: string }) {
  const model = useModel()
  const t = model.strings.value
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link)
      setCopied(true)
      model.announce(t.copied)
    } catch {
      setProblem({ code: 'clipboard' })
    }
  }
  const canShare = typeof navigator.share === 'function'
  return (
    <>
      <Qr text={link} label={t.invite.qr} />
      <label class="sr-only" htmlFor={id}>
        {t.invite.link}
      </label>
      <input
        id={id}
        class="link exact"
        type="text"
        readOnly
        dir="ltr"
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div class="acts">
        <button type="button" class="button primary" onClick={copy}>
          <Copy size={16} />
          {isCopied ? t.copied : t.invite.copyLink}
        </button>
        {canShare && (
          <button
            type="button"
            class="button"
            // Closing the browser's own sheet is an answer, not a problem.
            onClick={() => navigator.share({ text: t.invite.shareText, url: link }).catch(() => undefined)}
          >
            <Share2 size={16} />
            {t.invite.share}
          </button>
        )}
      </div>
      <ProblemLine problem={problem} />
    </>
  )
}
