import { useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { Mark } from './mark.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './lock-page.css'

/** Nothing else is on the screen, and nothing else in memory, until it is unlocked (K-10). */
export function LockPage({ doors }: { readonly doors: readonly ('passphrase' | 'passkey')[] }) {
  const model = useModel()
  const t = model.strings.value.lock
  const [passphrase, setPassphrase] = useState('')
  const { isBusy, problem, run } = useAct()
  const unlock = (key: { readonly passphrase: string } | 'passkey') =>
    run(async () => {
      try {
        await model.face.unlock(key)
      } finally {
        setPassphrase('')
      }
      await model.read.account()
    })
  const hasPassphrase = doors.includes('passphrase')
  return (
    <main class="page lock-page">
      <Mark size={40} />
      <h1>{t.locked}</h1>
      {hasPassphrase && (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            unlock({ passphrase })
          }}
        >
          <Field
            label={t.unlockPassphrase}
            value={passphrase}
            onInput={setPassphrase}
            autoComplete="current-password"
            problem={problem === undefined ? undefined : model.say(problem)}
            isExact
            isSecret
            hasFocus
          />
          <button type="submit" class="button primary wide" aria-disabled={isBusy}>
            {isBusy ? t.unlocking : t.unlock}
          </button>
        </form>
      )}
      {doors.includes('passkey') && (
        <button
          type="button"
          class={hasPassphrase ? 'button' : 'button primary'}
          aria-disabled={isBusy}
          onClick={() => unlock('passkey')}
        >
          {t.unlockPasskey}
        </button>
      )}
      {!hasPassphrase && (
        <div role="alert" class="problem">
          {problem !== undefined && <p>{model.say(problem)}</p>}
        </div>
      )}
    </main>
  )
}
