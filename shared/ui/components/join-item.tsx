import { BadgeCheck } from 'lucide-preact'
import type { JoinRequestView } from '#app/face.ts'
import { sayCode } from '../strings/say-error.ts'
import { ProblemLine } from './problem-line.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './member-item.css'

type Props = { readonly join: JoinRequestView; readonly mayAnswer: boolean }

/** Who would like to come in, what is known of them, and the answer. */
export function JoinItem({ join, mayAnswer }: Props) {
  const { announce, face, strings, times } = useModel()
  const t = strings.value.joins
  const { isBusy, problem, run } = useAct()
  const name = join.name === '' ? strings.value.details.unknown : join.name
  const decline = () =>
    run(async () => {
      await face.declineJoin(join.id)
      announce(t.declined(name))
    })
  return (
    <div class="member" data-testid="join" data-state={join.state}>
      <span class="member-name">
        {join.known ? (
          <RouteLink to={{ at: 'person', personId: join.personId }}>
            <bdi>{name}</bdi>
          </RouteLink>
        ) : (
          <bdi>{name}</bdi>
        )}
        {join.verified && (
          <span class="chip">
            <BadgeCheck size={14} />
            {strings.value.people.verified}
          </span>
        )}
      </span>
      <span class="hint">
        {join.by === 'name' ? t.byName : t.byInvitation} · {times.value.full(join.atMs)}
      </span>
      {join.putOut && join.state === 'asked' && <span class="hint">{t.putOut}</span>}
      {!join.known && <span class="hint">{t.stranger}</span>}
      {!join.known && <span class="hint exact">{join.fingerprint}</span>}
      {join.note !== '' && (
        <blockquote class="shared" dir="auto">
          {join.note}
        </blockquote>
      )}
      {join.state === 'coming' && <span class="hint">{t.coming}</span>}
      {join.state === 'failed' && (
        <span class="field-problem">
          {t.failed} {sayCode(strings.value, join.why ?? '')}
        </span>
      )}
      <ProblemLine problem={problem} />
      {join.state === 'asked' && mayAnswer && (
        <span class="member-acts">
          <button
            type="button"
            class="button primary"
            aria-label={t.letInLabel(name)}
            aria-disabled={isBusy}
            onClick={() => run(() => face.approveJoin(join.id))}
          >
            {t.letIn}
          </button>
          <button
            type="button"
            class="button"
            aria-label={t.declineLabel(name)}
            aria-disabled={isBusy}
            onClick={decline}
          >
            {t.decline}
          </button>
        </span>
      )}
      {join.state === 'failed' && (
        <span class="member-acts">
          <button type="button" class="text-button" onClick={() => run(() => face.dismissJoin(join.id))}>
            {t.ok}
          </button>
        </span>
      )}
    </div>
  )
}
