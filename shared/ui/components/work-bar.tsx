import type { Work } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './work-bar.css'

/** Long work shows numbers and can be stopped (U-06); what it has brought so far can be read meanwhile. */
export function WorkBar() {
  const { work } = useModel()
  return (
    <>
      {work.value.map((each) => (
        <OneWork key={each.kind} work={each} />
      ))}
    </>
  )
}

function OneWork({ work }: { readonly work: Work }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.work
  const { problem, run } = useAct()
  const { count } = times.value
  const act = (what: (kind: Work['kind']) => Promise<void>) =>
    run(async () => {
      await what(work.kind)
      await read.work()
    })
  const said = work.total > 0 ? t.count(count(work.done), count(work.total)) : t.countOpen(count(work.done))
  const note = work.state === 'waiting' ? t.waiting : work.state === 'stopped' ? t.stopped : ''
  const isOver = work.state === 'failed'
  return (
    <section class="work" aria-label={t.titles[work.kind]} data-work={work.kind} data-state={work.state}>
      <span class="work-title">{t.titles[work.kind]}</span>
      {work.state === 'stopped' ? (
        <button
          type="button"
          class="text-button"
          aria-label={t.goOnLabel}
          onClick={() => act((kind) => face.resumeWork(kind))}
        >
          {t.goOn}
        </button>
      ) : (
        <button
          type="button"
          class="text-button"
          aria-label={isOver ? undefined : t.stopLabel[work.kind]}
          onClick={() => act((kind) => face.cancelWork(kind))}
        >
          {isOver ? t.putAway : t.stop}
        </button>
      )}
      <progress
        aria-label={t.titles[work.kind]}
        {...(work.total > 0 ? { max: work.total, value: Math.min(work.done, work.total) } : {})}
      />
      <span class="work-count">{said}</span>
      <div role="status" class="work-note hint">
        {note}
      </div>
      <ProblemLine problem={isOver ? { code: work.problem } : problem} />
    </section>
  )
}
