import { useState } from 'preact/hooks'
import { isLongEnough } from '../state/passphrase.ts'
import { NewPassphrase } from './new-passphrase.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

export function DoorPassphrase({ onCard }: { readonly onCard: (card: string) => void }) {
  const { face, read, strings } = useModel()
  const t = strings.value.doors
  const [passphrase, setPassphrase] = useState('')
  const [isShort, setShort] = useState(false)
  const { isBusy, problem, run } = useAct()
  const add = () => {
    setShort(!isLongEnough(passphrase))
    if (!isLongEnough(passphrase)) return
    run(async () => {
      const { card } = await face.addPassphraseDoor(passphrase)
      await read.doors()
      onCard(card)
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <h2>{t.passphraseTitle}</h2>
      <p class="risk">{t.passphraseLead}</p>
      <NewPassphrase
        label={t.passphrase}
        hint={t.passphraseHint}
        value={passphrase}
        onInput={(value) => {
          setPassphrase(value)
          setShort(false)
        }}
        suggest={t.suggest}
        isShort={isShort}
      />
      <ProblemLine problem={problem} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {isBusy ? t.adding : t.add}
      </button>
    </form>
  )
}
