import { useEffect } from 'preact/hooks'
import type { ChannelHealth } from '#app/face.ts'
import { HealthAlarm } from './health-alarm.tsx'
import { HealthItem } from './health-item.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './settings-pane.css'
import './step-link.css'
import './health-pane.css'

/** Everything that can't be recovered and everything that was found wrong, with why and what helps (M-09, K-13). */
export function HealthPane() {
  const { alarms, health, problem, read, strings } = useModel()
  const t = strings.value.health
  useEffect(() => {
    read.health()
    read.alarms()
  }, [])
  const isIll = ({ problems, act }: ChannelHealth) => problems.length > 0 || act === 'repair'
  const ill = health.value?.filter(isIll) ?? []
  const well = health.value?.filter((channel) => !isIll(channel)) ?? []
  const isFine = health.value !== undefined && ill.length === 0 && alarms.value?.every(({ looked }) => looked) === true
  return (
    <section class="pane settings" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{t.lead}</p>
        <ProblemLine problem={problem.value} />
        <div role="status">{isFine && <p>{t.fine}</p>}</div>
        {alarms.value !== undefined && alarms.value.length > 0 && (
          <>
            <h2>{t.directory}</h2>
            <ul class="steps">
              {alarms.value.map((alarm) => (
                <li key={`${alarm.about} ${alarm.kind} ${alarm.atMs}`}>
                  <HealthAlarm alarm={alarm} />
                </li>
              ))}
            </ul>
          </>
        )}
        <Channels title={t.conversations} channels={ill} />
        <Channels title={t.others} channels={well} />
      </div>
    </section>
  )
}

type ChannelsProps = { readonly title: string; readonly channels: readonly ChannelHealth[] }

function Channels({ title, channels }: ChannelsProps) {
  if (channels.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul class="steps">
        {channels.map((channel) => (
          <li key={channel.id}>
            <HealthItem channel={channel} />
          </li>
        ))}
      </ul>
    </>
  )
}
