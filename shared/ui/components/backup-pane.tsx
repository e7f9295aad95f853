import { useEffect, useState } from 'preact/hooks'
import { choosePositions, cryptoRandom } from '../state/ceremony.ts'
import { PaneHead } from './pane-head.tsx'
import { PhraseCheck } from './phrase-check.tsx'
import { PhraseWords } from './phrase-words.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './backup-pane.css'

type Step =
  | { readonly at: 'explain' }
  | { readonly at: 'words'; readonly words: readonly string[] }
  | { readonly at: 'check'; readonly positions: readonly number[] }
  | { readonly at: 'done' }

/** The backup ceremony (K-02): said plainly, revealed on purpose, checked by asking for three words back. */
export function BackupPane() {
  const model = useModel()
  const t = model.strings.value.backup
  const [step, setStep] = useState<Step>({ at: 'explain' })
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const account = model.account.value
  const isBackedUp = account?.state === 'ready' && account.backedUp

  useEffect(() => {
    // Words left on a screen that nobody looks at are read by whoever passes.
    const hide = () => {
      if (document.visibilityState === 'hidden') setStep((now) => (now.at === 'words' ? { at: 'explain' } : now))
    }
    document.addEventListener('visibilitychange', hide)
    return () => document.removeEventListener('visibilitychange', hide)
  }, [])

  const reveal = async () => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      setStep({ at: 'words', words: await model.face.revealPhrase() })
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const leave = () => model.shell.router.go({ at: 'list' }, { replace: true })
  const check = (total: number) => setStep({ at: 'check', positions: choosePositions(total, cryptoRandom) })

  if (step.at === 'done' || (isBackedUp && step.at === 'explain')) {
    return (
      <section class="pane" aria-label={t.doneTitle}>
        <PaneHead title={t.doneTitle} of="done" />
        <div class="pane-body">
          <p>{step.at === 'done' ? t.doneLead : t.backedUp}</p>
          <button type="button" class="button primary" onClick={leave}>
            {t.done}
          </button>
        </div>
      </section>
    )
  }
  if (step.at === 'words') {
    return (
      <section class="pane" aria-label={t.wordsTitle}>
        <PaneHead title={t.wordsTitle} of="words" />
        <div class="pane-body">
          <p>{t.wordsLead}</p>
          <PhraseWords words={step.words} />
          <div class="acts">
            <button type="button" class="button primary" onClick={() => check(step.words.length)}>
              {t.written}
            </button>
            <button type="button" class="button" onClick={() => setStep({ at: 'explain' })}>
              {t.hide}
            </button>
          </div>
        </div>
      </section>
    )
  }
  if (step.at === 'check') {
    return (
      <section class="pane" aria-label={t.checkTitle}>
        <PaneHead title={t.checkTitle} of="check" />
        <PhraseCheck positions={step.positions} onDone={() => setStep({ at: 'done' })} onAgain={reveal} />
      </section>
    )
  }
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} of="explain" />
      <div class="pane-body">
        <p>{t.lead}</p>
        <p class="risk">{t.risk}</p>
        <p>{t.loss}</p>
        <ProblemLine problem={problem} />
        <div class="acts">
          <button type="button" class="button primary" aria-disabled={isBusy} onClick={reveal}>
            {isBusy ? t.revealing : t.reveal}
          </button>
          <button type="button" class="button" onClick={leave}>
            {model.strings.value.later}
          </button>
        </div>
      </div>
    </section>
  )
}
