import { useState } from 'preact/hooks'
import { saveFile } from '../save-file.ts'
import { isLongEnough } from '../state/passphrase.ts'
import { NewPassphrase } from './new-passphrase.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

export function ArchiveExport() {
  const { face, strings, nowMs } = useModel()
  const t = strings.value.archive
  const [passphrase, setPassphrase] = useState('')
  const [isShort, setShort] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const { isBusy, problem, run } = useAct()
  const save = () => {
    setShort(!isLongEnough(passphrase))
    setSaved(false)
    if (!isLongEnough(passphrase)) return
    run(async () => {
      const archive = await face.exportArchive(passphrase)
      saveFile(`stave-${new Date(nowMs()).toISOString().slice(0, 10)}.age`, await new Response(archive).blob())
      setPassphrase('')
      setSaved(true)
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <h2>{t.exportTitle}</h2>
      <p>{t.exportLead}</p>
      <p class="risk">{t.exportRisk}</p>
      <NewPassphrase
        label={t.passphrase}
        hint={strings.value.doors.passphraseHint}
        value={passphrase}
        onInput={(value) => {
          setPassphrase(value)
          setShort(false)
        }}
        suggest={t.suggest}
        isShort={isShort}
      />
      <div role="status">{isSaved && <p>{t.exported}</p>}</div>
      <ProblemLine problem={problem} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {isBusy ? t.exporting : t.export}
      </button>
    </form>
  )
}
