import { useState } from 'preact/hooks'
import type { PersonPage } from '#app/face.ts'
import { safetyGroups } from '../state/in-groups.ts'
import { Field } from './field.tsx'
import { ProblemLine } from './problem-line.tsx'
import { Scan } from './scan.tsx'
import { SecretCode } from './secret-code.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** The safety number, to compare by eye, or by the code of it that the other screen shows (K-11). */
export function PersonVerify({ person }: { readonly person: PersonPage }) {
  const { announce, face, read, strings } = useModel()
  const t = strings.value.people
  const { isBusy, problem, run } = useAct()
  const mark = (verified: boolean) =>
    run(async () => {
      await face.markVerified(person.id, verified)
      await Promise.all([read.person(), read.people()])
      announce(verified ? t.marked : t.unmarked)
    })
  return (
    <>
      <h2>{t.verify}</h2>
      <p>{t.verifyLead}</p>
      <ol class="safety exact" aria-label={t.number} data-testid="safety-number">
        {safetyGroups(person.safetyNumber).map((group, index) => (
          <li key={index}>{group}</li>
        ))}
      </ol>
      <ProblemLine problem={problem} />
      <button
        type="button"
        class={person.verified ? 'button' : 'button primary'}
        aria-disabled={isBusy}
        onClick={() => mark(!person.verified)}
      >
        {person.verified ? t.unmark : t.mark}
      </button>
      <Compare person={person} />
      <SecretCode text={person.code} label={t.yourCode} qrLabel={t.qr} copyLabel={t.copyCode} />
    </>
  )
}

function Compare({ person }: { readonly person: PersonPage }) {
  const { face, read, strings } = useModel()
  const t = strings.value.people
  const { isBusy, problem, run } = useAct()
  const [code, setCode] = useState('')
  const [isSame, setSame] = useState<boolean>()
  const compare = (theirs = code.trim()) =>
    run(async () => {
      setSame(undefined)
      setSame(await face.comparePersonCode(person.id, theirs))
      await Promise.all([read.person(), read.people()])
    })
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() !== '') compare()
      }}
    >
      <p>{t.code}</p>
      <Field label={t.theirs} value={code} onInput={setCode} isExact />
      <Scan
        onFound={(text) => {
          setCode(text)
          compare(text.trim())
        }}
      />
      <div role="status">
        {isSame !== undefined && <p class={isSame ? 'is-accent' : 'is-danger'}>{isSame ? t.same : t.differs}</p>}
      </div>
      <ProblemLine problem={problem} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {t.compare}
      </button>
    </form>
  )
}
