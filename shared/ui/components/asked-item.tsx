import type { AskedView } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './member-item.css'

/** What this account has asked for, and how that stands. */
export function AskedItem({ asked }: { readonly asked: AskedView }) {
  const { announce, face, strings, times } = useModel()
  const t = strings.value.findChannel
  const { problem, run } = useAct()
  const forget = () =>
    run(async () => {
      await face.withdrawAsk(asked.id)
      announce(t.forgotten(asked.name))
    })
  return (
    <div class="member" data-testid="asked" data-state={asked.state}>
      <span class="member-name exact">
        {asked.channelId === undefined ? (
          asked.name
        ) : (
          <RouteLink to={{ at: 'channel', channelId: asked.channelId }}>{asked.name}</RouteLink>
        )}
      </span>
      <span class="hint">
        {t.state[asked.state]} · {times.value.full(asked.atMs)}
      </span>
      <ProblemLine problem={problem} />
      <span class="member-acts">
        <button type="button" class="text-button" aria-label={t.forgetLabel(asked.name)} onClick={forget}>
          {t.forget}
        </button>
      </span>
    </div>
  )
}
