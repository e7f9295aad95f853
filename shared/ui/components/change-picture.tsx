import { useRef } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { squarePicture } from '../square-picture.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** Another picture for the group, or none (C-13). */
export function ChangePicture({ details }: { readonly details: ChannelDetails }) {
  const { face, read, shell, strings } = useModel()
  const t = strings.value.details
  const chooser = useRef<HTMLInputElement>(null)
  const change = useRef<HTMLButtonElement>(null)
  const { isBusy, problem, run } = useAct()
  const set = (avatar: () => Promise<Uint8Array>) =>
    run(async () => {
      await face.setProfile(details.id, { avatar: await avatar() })
      await read.details()
    })
  const takeAway = () => {
    set(async () => new Uint8Array())
    change.current?.focus() // this button goes with the picture
  }
  return (
    <>
      <div class="acts">
        <button
          ref={change}
          type="button"
          class="button"
          aria-disabled={isBusy}
          // The popup closes when the browser shows its files.
          onClick={shell.openFullView ?? (() => chooser.current?.click())}
        >
          {isBusy ? t.saving : details.avatar === undefined ? t.setPicture : t.changePicture}
        </button>
        {details.avatar !== undefined && (
          <button type="button" class="button" aria-disabled={isBusy} onClick={takeAway}>
            {t.noPicture}
          </button>
        )}
      </div>
      <input
        ref={chooser}
        type="file"
        accept="image/*"
        hidden
        aria-label={t.setPicture}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = '' // the same file can be chosen once more
          if (file !== undefined) set(() => squarePicture(file))
        }}
      />
      <p class="hint">{shell.openFullView === undefined ? t.pictureHint : strings.value.archive.popup}</p>
      <ProblemLine problem={problem} />
    </>
  )
}
