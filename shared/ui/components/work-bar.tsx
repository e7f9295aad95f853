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
  const stop = () =>
    run(async () => {
      await face.cancelWork(work.kind)
      await read.work()
    })
  const goOn = () =>
    run(async () => {
      await face.resumeWork(work.kind)
      await read.work()
    })
  const said = work.total > 0 ? t.count(count(work.done), count(work.total)) : t.countOpen(count(work.done))
  return (
    <section class="work" aria-label={t.titles[work.kind]} data-work={work.kind} data-state={work.state}>
      <span class="work-title">{t.titles[work.kind]}</span>
      <span class="work-count">{said}</span>
      <progress
        aria-label={t.titles[work.kind]}
        {...(work.total > 0 ? { max: work.total, value: Math.min(work.done, work.total) } : {})}
      />
      {work.state === 'stopped' ? (
        <button type="button" class="text-button" aria-label={t.goOnLabel} onClick={goOn}>
          {t.goOn}
        </button>
      ) : (
        <button type="button" class="text-button" aria-label={t.stopLabel[work.kind]} onClick={stop}>
          {t.stop}
        </button>
      )}
      {work.state === 'waiting' && <span class="work-note hint">{t.waiting}</span>}
      {work.state === 'stopped' && <span class="work-note hint">{t.stopped}</span>}
      <ProblemLine problem={work.state === 'failed' ? { code: work.problem } : problem} />
    </section>
  )
}
