import { useState } from 'preact/hooks'
import { ProblemLine } from './problem-line.tsx'
import { RealmField, typedRealm } from './realm-field.tsx'
import type { RestoreForm } from './restore-by.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** The passkey says itself where the account's vault is (K-09). */
export const RestorePasskey: RestoreForm = ({ lookUp }) => {
  const t = useModel().strings.value.restore
  const [realm, setRealm] = useState('')
  const { isBusy, problem, run } = useAct()
  return (
    <form
      class="pane-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        run(() => lookUp({ by: 'passkey', ...typedRealm(realm) }))
      }}
    >
      <p>{t.passkeyLead}</p>
      <RealmField value={realm} onInput={setRealm} />
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? t.looking : t.passkeyAct}
        </button>
      </div>
    </form>
  )
}
