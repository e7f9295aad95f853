import { useState } from 'preact/hooks'
import { AskedItem } from './asked-item.tsx'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import { useNearFocus } from './use-near-focus.ts'
import { useRead } from './use-read.ts'
import './find-channel-pane.css'
import './step-link.css'

const MAX_NAME = 95
const MAX_NOTE = 280

type Found = { readonly name: string; readonly is: boolean }

/** A channel that has a name: looked for, and asked to be let into (C-09). */
export function FindChannelPane() {
  const { announce, face, strings } = useModel()
  const t = strings.value.findChannel
  const act = useAct()
  const [name, setName] = useState('')
  const [note, setNote] = useState('')
  const [found, setFound] = useState<Found>()
  const asked = useRead('channels', () => face.asked())
  const near = useNearFocus<HTMLUListElement>()
  const wanted = name.trim().toLowerCase()
  const isFound = found?.is === true && found.name === wanted
  const find = () =>
    act.run(async () => {
      setFound(undefined)
      setFound({ name: wanted, is: await face.findChannel(wanted) })
    })
  const ask = () =>
    act.run(async () => {
      await face.askToJoin(wanted, note.trim())
      announce(t.state.waiting)
      setName('')
      setNote('')
      setFound(undefined)
    })
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{t.lead}</p>
        <form
          class="find-channel"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (isFound) ask()
            else if (wanted !== '') find()
          }}
        >
          <Field label={t.name} hint={t.nameHint} value={name} onInput={setName} maxLength={MAX_NAME} isExact />
          <div role="status">
            {found !== undefined && found.name === wanted && (
              <p>{found.is ? t.found(found.name) : t.none(found.name)}</p>
            )}
          </div>
          {isFound && (
            <>
              <p class="risk">{t.risk}</p>
              <Field label={t.note} hint={t.noteHint} value={note} onInput={setNote} maxLength={MAX_NOTE} />
            </>
          )}
          <ProblemLine problem={act.problem} />
          <div class="acts">
            <button type="submit" class="button primary" aria-disabled={act.isBusy}>
              {isFound ? (act.isBusy ? t.asking : t.ask) : act.isBusy ? t.finding : t.find}
            </button>
          </div>
        </form>
        {asked !== undefined && asked.length > 0 && (
          <>
            <h2>{t.asked}</h2>
            <p class="hint">{t.forgetHint}</p>
            <ul class="steps" {...near}>
              {asked.map((one) => (
                <li key={one.id}>
                  <AskedItem asked={one} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
