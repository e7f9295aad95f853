import { useState } from 'preact/hooks'
import type { FoundAccount, RestoreKey } from '#app/face.ts'
import { proposeDeviceName } from '../state/device-name.ts'
import { inGroups } from '../state/in-groups.ts'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './settings-pane.css'

type Props = { readonly opener: RestoreKey; readonly account: FoundAccount; readonly onOther: () => void }

/** Who was found, before anything is made on this device. */
export function RestoreFound({ opener, account, onOther }: Props) {
  const model = useModel()
  const t = model.strings.value
  const [deviceName, setDeviceName] = useState(() => proposeDeviceName(navigator.userAgent, t.firstRun.deviceOn))
  const [isNameless, setNameless] = useState(false)
  const { isBusy, problem, run } = useAct()
  const restore = () => {
    setNameless(deviceName.trim() === '')
    if (deviceName.trim() !== '') run(() => model.restore(opener, { deviceName: deviceName.trim() }))
  }
  return (
    <section class="pane" aria-label={t.restore.found}>
      <PaneHead title={t.restore.found} of="found" onBack={onOther} />
      <form
        class="pane-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          restore()
        }}
      >
        <p>{t.restore.foundLead}</p>
        <dl class="facts">
          <dt>{t.settings.name}</dt>
          <dd data-testid="found-name">{account.name === '' ? t.restore.nameless : <bdi>{account.name}</bdi>}</dd>
          <dt>{t.settings.fingerprint}</dt>
          <dd class="exact">{inGroups(account.fingerprint, 5)}</dd>
          <dt>{t.restore.devices}</dt>
          <dd>{model.times.value.count(account.devices)}</dd>
        </dl>
        <Field
          label={t.firstRun.deviceName}
          hint={t.firstRun.deviceNameHint}
          value={deviceName}
          onInput={setDeviceName}
          maxLength={64}
          problem={isNameless ? t.firstRun.deviceNameMissing : undefined}
        />
        <ProblemLine problem={problem} />
        <div class="acts">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
            {isBusy ? t.restore.restoring : t.restore.restore}
          </button>
          <button type="button" class="button" onClick={onOther}>
            {t.restore.notMe}
          </button>
        </div>
      </form>
    </section>
  )
}
