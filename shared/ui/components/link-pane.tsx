import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { LinkNew } from './link-new.tsx'
import { LinkSteps } from './link-steps.tsx'
import { linkTitle } from './link-title.ts'
import { NoRoot } from './no-root.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { Scan } from './scan.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** The holder's side of a link (K-06): whose code it is, the digits, and then everything that the account has. */
export function LinkPane() {
  const { account, deviceLink, devices, face, linking, read, shell, strings } = useModel()
  const t = strings.value.linking
  const act = useAct()
  const [code, setCode] = useState(deviceLink.value ?? '')
  const now = linking.value
  const own = account.value?.state === 'ready' ? account.value : undefined
  const isUnder = now.state !== 'none' && now.state !== 'showing'
  const title = linkTitle(t, now, t.joinTitle)
  useEffect(() => {
    if (devices.peek() === undefined) read.devices()
  }, [])

  const join = () =>
    act.run(async () => {
      await face.joinLink(code.trim())
      deviceLink.value = undefined
      await read.linking()
    })
  const finish = () =>
    act.run(async () => {
      await face.cancelLink()
      shell.router.go({ at: 'devices' }, { replace: true })
    })
  if (own?.unlisted) return <LinkNew />
  return (
    <section class="pane" aria-label={title}>
      <PaneHead title={title} of={now.state} />
      {isUnder && <LinkSteps linking={now} act={act} onDone={finish} />}
      {!isUnder && own?.holdsRoot === false && (
        <div class="pane-body">
          <NoRoot />
        </div>
      )}
      {!isUnder && own?.holdsRoot && (
        <form
          class="pane-body"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            join()
          }}
        >
          <p>{deviceLink.value === undefined ? t.joinLead : t.waiting}</p>
          <p class="risk">{t.risk}</p>
          <Field label={t.codeOrLink} value={code} onInput={setCode} isExact />
          <Scan onFound={setCode} />
          <ProblemLine problem={act.problem} />
          <div class="acts">
            <button type="submit" class="button primary" aria-disabled={act.isBusy}>
              {act.isBusy ? t.connecting : t.join}
            </button>
          </div>
        </form>
      )}
    </section>
  )
}
