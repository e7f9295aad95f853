import { useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { FileField } from './file-field.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

export function ArchiveImport() {
  const { face, strings } = useModel()
  const t = strings.value.archive
  const [file, setFile] = useState<File>()
  const [passphrase, setPassphrase] = useState('')
  const [isMissing, setMissing] = useState(false)
  const [isRead, setRead] = useState(false)
  const { isBusy, problem, run } = useAct()
  const read = () => {
    setMissing(file === undefined)
    setRead(false)
    if (file === undefined) return
    run(async () => {
      await face.importArchive(file, passphrase)
      setPassphrase('')
      setRead(true)
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        read()
      }}
    >
      <h2>{t.importTitle}</h2>
      <p>{t.importLead}</p>
      <FileField
        label={t.file}
        accept=".age"
        onFile={(chosen) => {
          setFile(chosen)
          setMissing(false)
        }}
      />
      <Field
        label={t.importPassphrase}
        value={passphrase}
        onInput={setPassphrase}
        autoComplete="off"
        isExact
        isSecret
      />
      <div role="status">{isRead && <p>{t.imported}</p>}</div>
      <div role="alert">{isMissing && <p class="is-danger">{t.fileMissing}</p>}</div>
      <ProblemLine problem={problem} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {isBusy ? t.importing : t.import}
      </button>
    </form>
  )
}
