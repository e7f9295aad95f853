import { useState } from 'preact/hooks'
import { proposeDeviceName } from '../state/device-name.ts'
import { Field } from './field.tsx'
import { Mark } from './mark.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './first-run.css'

/** Three sentences, two fields, one act. */
export function FirstRun() {
  const model = useModel()
  const t = model.strings.value.firstRun
  const isInvited = model.invitationLink.value !== undefined
  const [name, setName] = useState('')
  const [deviceName, setDeviceName] = useState(() => proposeDeviceName(navigator.userAgent, t.deviceOn))
  const [missing, setMissing] = useState<'name' | 'deviceName'>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()

  const make = async () => {
    if (isBusy) return
    if (name.trim() === '') return setMissing('name')
    if (deviceName.trim() === '') return setMissing('deviceName')
    setMissing(undefined)
    setProblem(undefined)
    setBusy(true)
    try {
      await model.makeIdentity({ name: name.trim(), deviceName: deviceName.trim() })
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }
  return (
    <main class="page first-run">
      <Mark size={56} />
      <h1>{t.title}</h1>
      <p class="lead">{isInvited ? t.leadInvited : t.lead}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make()
        }}
        noValidate
      >
        <Field
          label={t.name}
          value={name}
          onInput={setName}
          autoComplete="nickname"
          maxLength={64}
          problem={missing === 'name' ? t.nameMissing : undefined}
        />
        <Field
          label={t.deviceName}
          hint={t.deviceNameHint}
          value={deviceName}
          onInput={setDeviceName}
          maxLength={64}
          problem={missing === 'deviceName' ? t.deviceNameMissing : undefined}
        />
        <ProblemLine problem={problem} />
        <button type="submit" class="button primary wide" aria-disabled={isBusy}>
          {isBusy ? t.making : isInvited ? t.makeAndAccept : t.make}
        </button>
      </form>
      <button type="button" class="text-button" onClick={() => model.shell.router.go({ at: 'restore' })}>
        {t.existing}
      </button>
    </main>
  )
}
