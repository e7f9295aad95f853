import { useState } from 'preact/hooks'
import type { ChannelHealth, ChannelProblem } from '#app/face.ts'
import { sayCode } from '../strings/say-error.ts'
import { ProblemLine } from './problem-line.tsx'
import { RepairChannel } from './repair-channel.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** Of these the cause says more than what happened. */
const HAS_CAUSE: ReadonlySet<ChannelProblem['what']> = new Set(['unreadable', 'refused'])

/** One conversation: what is missing there and why, when its keys were renewed, and the act that helps (M-09, C-08). */
export function HealthItem({ channel }: { readonly channel: ChannelHealth }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.health
  const { isBusy, problem, run } = useAct()
  const [isHealing, setHealing] = useState(false)
  const [isRepairing, setRepairing] = useState(false)
  const { healedAtMs, nextHealMs } = channel
  const keys = [
    ...(healedAtMs === undefined ? [] : [t.healed(times.value.full(healedAtMs))]),
    ...(nextHealMs === undefined ? [] : [t.nextHeal(times.value.full(nextHealMs))]),
  ]
  const heal = () =>
    run(async () => {
      await face.healChannel(channel.id)
      setHealing(true)
      await read.health()
    })
  return (
    <div class="health" data-testid="health" data-state={channel.state}>
      <RouteLink to={{ at: 'channel', channelId: channel.id }}>
        <bdi>{channel.title}</bdi>
      </RouteLink>
      {channel.problems.map(({ what, count, cause, sinceMs }) => (
        <div key={`${what} ${cause}`} data-problem={what}>
          <p>
            {t.problems[what](count)} {HAS_CAUSE.has(what) && sayCode(strings.value, cause)}
          </p>
          <p class="hint">{t.since(times.value.full(sinceMs))}</p>
        </div>
      ))}
      {keys.length > 0 && <p class="hint">{keys.join(', ')}</p>}
      <div role="status">{isHealing && <p class="hint">{t.healing}</p>}</div>
      <ProblemLine problem={problem} />
      {channel.act !== undefined && (
        <div class="acts">
          {channel.act === 'repair' ? (
            <button
              type="button"
              class="text-button"
              aria-label={t.repairLabel(channel.title)}
              onClick={() => setRepairing(true)}
            >
              {t.repair}
            </button>
          ) : (
            <button
              type="button"
              class="text-button"
              aria-label={t.healLabel(channel.title)}
              aria-disabled={isBusy}
              onClick={heal}
            >
              {t.heal}
            </button>
          )}
        </div>
      )}
      {isRepairing && <RepairChannel channelId={channel.id} onClose={() => setRepairing(false)} />}
    </div>
  )
}
