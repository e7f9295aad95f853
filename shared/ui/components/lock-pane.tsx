import { useEffect, useState } from 'preact/hooks'
import type { LockView } from '#app/face.ts'
import { LockForm } from './lock-form.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './settings-pane.css'

/** The app lock (K-10): off, or on with what opens it and when it falls. */
export function LockPane() {
  const { lock, read, strings } = useModel()
  const t = strings.value.lock
  const [isChanging, setChanging] = useState(false)
  const now = lock.value
  useEffect(() => {
    read.lock()
  }, [])
  return (
    <section class="pane settings" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{t.lead}</p>
        {now !== undefined && now.state !== 'off' && <LockState lock={now} onChange={() => setChanging(!isChanging)} />}
        {now?.state === 'off' && <p>{t.off}</p>}
        {now !== undefined && (now.state === 'off' || isChanging) && (
          <LockForm lock={now} onSet={() => setChanging(false)} />
        )}
      </div>
    </section>
  )
}

function LockState({ lock, onChange }: { readonly lock: LockView; readonly onChange: () => void }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.lock
  const { problem, run } = useAct()
  const act = (what: () => Promise<void>) =>
    run(async () => {
      await what()
      await read.lock()
    })
  return (
    <>
      <p>
        {lock.by !== undefined && t.on[lock.by]}{' '}
        {lock.afterMinutes !== undefined && `${t.after} ${t.afterMinutes(times.value.count(lock.afterMinutes))}.`}
      </p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="button" class="button primary" onClick={() => act(() => face.lockNow())}>
          {t.now}
        </button>
        <button type="button" class="button" onClick={onChange}>
          {t.change}
        </button>
        <button type="button" class="button" onClick={() => act(() => face.removeLock())}>
          {t.remove}
        </button>
      </div>
    </>
  )
}
