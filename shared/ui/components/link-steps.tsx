import type { Linking } from '#app/face.ts'
import { inGroups } from '../state/in-groups.ts'
import { ProblemLine } from './problem-line.tsx'
import type { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './link-steps.css'

type Props = {
  readonly linking: Exclude<Linking, { readonly state: 'none' | 'showing' }>
  readonly act: ReturnType<typeof useAct>
  readonly onDone: () => void
}

/** What both devices show once they have found each other (K-06): the same digits, and nothing goes over before both agree. */
export function LinkSteps({ linking, act, onDone }: Props) {
  const { account, face, strings } = useModel()
  const t = strings.value.linking
  const isHolder = account.value?.state === 'ready' && account.value.holdsRoot
  const stop = () => act.run(() => face.cancelLink())
  switch (linking.state) {
    case 'comparing':
      return <Compare linking={linking} act={act} />
    case 'connecting':
    case 'finishing':
      return (
        <div class="pane-body">
          <p role="status">{linking.state === 'connecting' ? t.connecting : t.finishing}</p>
          {linking.state === 'finishing' && <p class="hint">{t.finishingLead}</p>}
          <ProblemLine problem={act.problem} />
          <div class="acts">
            <button type="button" class="button" onClick={stop}>
              {t.stop}
            </button>
          </div>
        </div>
      )
    case 'done':
      return (
        <div class="pane-body">
          <p role="status">{isHolder ? t.done(linking.peer) : t.doneHere}</p>
          <div class="acts">
            <button type="button" class="button primary" onClick={onDone}>
              {strings.value.backup.done}
            </button>
          </div>
        </div>
      )
    case 'failed':
      return (
        <div class="pane-body">
          <ProblemLine problem={{ code: linking.why }} />
          <div class="acts">
            <button type="button" class="button primary" onClick={stop}>
              {t.again}
            </button>
          </div>
        </div>
      )
  }
}

type CompareProps = Pick<Props, 'act'> & { readonly linking: Extract<Linking, { readonly state: 'comparing' }> }

function Compare({ linking, act }: CompareProps) {
  const { face, strings } = useModel()
  const t = strings.value.linking
  const differ = () =>
    act.run(async () => {
      await face.cancelLink()
      act.setProblem({ code: 'link/differ' })
    })
  return (
    <div class="pane-body">
      <p>{t.compareLead}</p>
      <p class="digits exact" data-testid="digits">
        <span class="sr-only">{t.digits}: </span>
        {inGroups(linking.digits, 4)}
      </p>
      {linking.peer !== '' && <p class="hint">{t.peer(linking.peer)}</p>}
      <div role="status">{linking.confirmed && <p>{t.confirmed}</p>}</div>
      <ProblemLine problem={act.problem} />
      <div class="acts">
        {!linking.confirmed && (
          <button
            type="button"
            class="button"
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => face.confirmLink())}
          >
            {t.match}
          </button>
        )}
        <button type="button" class="button" onClick={differ}>
          {t.differ}
        </button>
      </div>
    </div>
  )
}
