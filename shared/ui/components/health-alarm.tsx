import type { AlarmView } from '#app/face.ts'
import type { Strings } from '../strings/en.ts'
import { CopyProof } from './copy-proof.tsx'
import { ProblemLine } from './problem-line.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** What the relay's directory did (K-13): of a person on their page, of this account or of the relay here. */
export function HealthAlarm({ alarm }: { readonly alarm: AlarmView }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.health
  const { isBusy, problem, run } = useAct()
  const isOfPerson = alarm.about !== 'own' && alarm.about !== 'realm'
  const title = titleOf(strings.value, alarm)
  const looked = () =>
    run(async () => {
      await face.lookedAt(alarm.about)
      await read.alarms()
    })
  return (
    <div class="health" data-testid="alarm" data-kind={alarm.kind}>
      {isOfPerson ? (
        <RouteLink to={{ at: 'person', personId: alarm.about }}>
          <bdi>{title}</bdi>
        </RouteLink>
      ) : (
        <span class="health-title">{title}</span>
      )}
      <p>{whatOf(strings.value, alarm)}</p>
      <p class="hint">
        {times.value.full(alarm.atMs)}
        {alarm.looked && ` · ${t.wasLooked}`}
      </p>
      {alarm.proof !== undefined && <CopyProof proof={alarm.proof} />}
      <ProblemLine problem={problem} />
      {!alarm.looked && (
        <div class="acts">
          <button
            type="button"
            class="text-button"
            aria-label={t.lookedLabel(title)}
            aria-disabled={isBusy}
            onClick={looked}
          >
            {t.looked}
          </button>
        </div>
      )}
    </div>
  )
}

function titleOf(t: Strings, { about, name }: AlarmView): string {
  if (about === 'own' || about === 'realm') return t.health.about[about]
  return name === '' ? t.details.unknown : name
}

function whatOf(t: Strings, { about, kind }: AlarmView): string {
  if (about === 'realm') return kind === 'unsigned' ? t.health.own.unsigned : t.health.realm
  return about === 'own' ? t.health.own[kind] : t.people.kinds[kind]
}
