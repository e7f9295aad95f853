import { useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { FileField } from './file-field.tsx'
import { ProblemLine } from './problem-line.tsx'
import type { RestoreForm } from './restore-by.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

const MAX_CARD_BYTES = 16 * 1024

/** A passphrase, and the card that finds what it opens (K-09). */
export const RestoreCard: RestoreForm = ({ lookUp }) => {
  const t = useModel().strings.value.restore
  const [card, setCard] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const { isBusy, problem, setProblem, run } = useAct()
  const read = async (file: File) => {
    if (file.size > MAX_CARD_BYTES) return setProblem({ code: 'card/truncated' })
    setCard((await file.text()).trim())
  }
  return (
    <form
      class="pane-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        run(() => lookUp({ by: 'passphrase', card: card.trim(), passphrase }))
      }}
    >
      <Field label={t.card} hint={t.cardHint} value={card} onInput={setCard} isExact />
      <FileField label={t.cardFile} onFile={(file) => read(file).catch(setProblem)} />
      <Field
        label={t.passphrase}
        value={passphrase}
        onInput={setPassphrase}
        autoComplete="current-password"
        isExact
        isSecret
      />
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? t.looking : t.look}
        </button>
      </div>
    </form>
  )
}
