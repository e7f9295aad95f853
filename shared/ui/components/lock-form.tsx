import { useState } from 'preact/hooks'
import type { LockView } from '#app/face.ts'
import { isLongEnough } from '../state/passphrase.ts'
import { Choice } from './choice.tsx'
import { NewPassphrase } from './new-passphrase.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import { usePasskeys } from './use-passkeys.ts'

const MINUTES = ['1', '5', '15', '60'] as const

export function LockForm({ lock, onSet }: { readonly lock: LockView; readonly onSet: () => void }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value
  const hasPasskeys = usePasskeys()
  const [by, setBy] = useState<'passphrase' | 'passkey'>('passphrase')
  const [after, setAfter] = useState(() => MINUTES.find((each) => Number(each) === lock.afterMinutes) ?? '5')
  const [passphrase, setPassphrase] = useState('')
  const [isShort, setShort] = useState(false)
  const { isBusy, problem, run } = useAct()
  const set = () => {
    const short = by === 'passphrase' && !isLongEnough(passphrase)
    setShort(short)
    if (short) return
    const afterMinutes = Number(after)
    run(async () => {
      await face.setLock(by === 'passkey' ? { by, afterMinutes } : { by, passphrase, afterMinutes })
      await read.lock()
      onSet()
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        set()
      }}
    >
      <p class="risk">{t.lock.risk}</p>
      {hasPasskeys && (
        <Choice
          label={t.lock.by}
          value={by}
          options={(['passphrase', 'passkey'] as const).map((value) => ({ value, label: t.lock.ways[value] }))}
          onChoose={setBy}
        />
      )}
      {by === 'passphrase' && (
        <NewPassphrase
          label={t.lock.passphrase}
          hint={t.lock.passphraseHint}
          value={passphrase}
          onInput={(value) => {
            setPassphrase(value)
            setShort(false)
          }}
          suggest={t.doors.suggest}
          isShort={isShort}
        />
      )}
      <Choice
        label={t.lock.after}
        value={after}
        options={MINUTES.map((value) => ({ value, label: t.lock.afterMinutes(times.value.count(Number(value))) }))}
        onChoose={setAfter}
      />
      <ProblemLine problem={problem} />
      <button type="submit" class="button primary" aria-disabled={isBusy}>
        {isBusy ? t.lock.setting : t.lock.set}
      </button>
    </form>
  )
}
