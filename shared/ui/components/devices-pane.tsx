import { MonitorSmartphone } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import type { DeviceView } from '#app/face.ts'
import { DeviceItem } from './device-item.tsx'
import { NoRoot } from './no-root.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { RemoveDevice } from './remove-device.tsx'
import { useModel } from './use-model.ts'
import './step-link.css'

/** Every device of the account (K-05), how it came, and the way out for one (K-07). */
export function DevicesPane() {
  const { account, devices, problem, read, shell, strings } = useModel()
  const t = strings.value.devices
  const [leaving, setLeaving] = useState<DeviceView>()
  const holdsRoot = account.value?.state === 'ready' && account.value.holdsRoot
  useEffect(() => {
    read.devices()
  }, [])
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{t.lead}</p>
        <ProblemLine problem={problem.value} />
        <ul class="steps">
          {devices.value?.map((device) => (
            <li key={device.id}>
              <DeviceItem device={device} onRemove={holdsRoot && !device.here ? () => setLeaving(device) : undefined} />
            </li>
          ))}
        </ul>
        {holdsRoot ? (
          <div class="acts">
            <button type="button" class="button primary" onClick={() => shell.router.go({ at: 'link' })}>
              <MonitorSmartphone size={16} />
              {t.link}
            </button>
          </div>
        ) : (
          <NoRoot />
        )}
        {leaving !== undefined && <RemoveDevice device={leaving} onClose={() => setLeaving(undefined)} />}
      </div>
    </section>
  )
}
