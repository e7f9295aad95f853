import { useState } from 'preact/hooks'
import type { Linking } from '#app/face.ts'
import { proposeDeviceName } from '../state/device-name.ts'
import { Field } from './field.tsx'
import { LinkSteps } from './link-steps.tsx'
import { linkTitle } from './link-title.ts'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { RealmField, typedRealm } from './realm-field.tsx'
import { SecretCode } from './secret-code.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** The new device's side of a link (K-06): it shows a code, and hands over nothing that opens anything. */
export function LinkNew() {
  const { face, linking, shell, strings } = useModel()
  const t = strings.value.linking
  const act = useAct()
  const now = linking.value
  const title = linkTitle(t, now, t.showTitle)
  const leave = () =>
    act.run(async () => {
      if (now.state !== 'none') await face.cancelLink()
      shell.router.back()
    })
  return (
    <section class="pane" aria-label={title}>
      <PaneHead title={title} of={now.state} onBack={leave} />
      {now.state === 'none' && <Begin act={act} />}
      {now.state === 'showing' && <Showing linking={now} act={act} />}
      {now.state !== 'none' && now.state !== 'showing' && (
        <LinkSteps linking={now} act={act} onDone={() => shell.router.go({ at: 'list' }, { replace: true })} />
      )}
    </section>
  )
}

type ActProps = { readonly act: ReturnType<typeof useAct> }

function Begin({ act }: ActProps) {
  const { account, face, read, strings } = useModel()
  const t = strings.value
  const [deviceName, setDeviceName] = useState(() =>
    account.value?.state === 'ready'
      ? account.value.deviceName
      : proposeDeviceName(navigator.userAgent, t.firstRun.deviceOn),
  )
  const [isNameless, setNameless] = useState(false)
  const [realm, setRealm] = useState('')
  const show = () => {
    setNameless(deviceName.trim() === '')
    if (deviceName.trim() === '') return
    act.run(async () => {
      await face.showLink({ deviceName: deviceName.trim(), ...typedRealm(realm) })
      await read.linking()
    })
  }
  return (
    <form
      class="pane-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        show()
      }}
    >
      <p>{t.linking.showLead}</p>
      <Field
        label={t.firstRun.deviceName}
        hint={t.firstRun.deviceNameHint}
        value={deviceName}
        onInput={setDeviceName}
        maxLength={64}
        problem={isNameless ? t.firstRun.deviceNameMissing : undefined}
      />
      <RealmField value={realm} onInput={setRealm} />
      <ProblemLine problem={act.problem} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={act.isBusy}>
          {t.linking.show}
        </button>
      </div>
    </form>
  )
}

type ShowingProps = ActProps & { readonly linking: Extract<Linking, { readonly state: 'showing' }> }

function Showing({ linking, act }: ShowingProps) {
  const { face, strings, times } = useModel()
  const t = strings.value.linking
  return (
    <div class="pane-body">
      <p>{t.showing}</p>
      <p class="link-code">
        <span class="sr-only">{t.code}: </span>
        <span class="exact" data-testid="link-code">
          {linking.code}
        </span>
      </p>
      <SecretCode text={linking.link} label={t.link} qrLabel={t.qr} copyLabel={t.copyLink} />
      <p class="hint">{t.expires(times.value.clock(linking.expiresAtMs))}</p>
      <ProblemLine problem={act.problem} />
      <div class="acts">
        <button type="button" class="button" onClick={() => act.run(() => face.cancelLink())}>
          {t.stop}
        </button>
      </div>
    </div>
  )
}
