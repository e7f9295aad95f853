import { useRef } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { squarePicture } from '../square-picture.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** Another picture for the group, or none (C-13). */
export function ChangePicture({ details }: { readonly details: ChannelDetails }) {
  const { face, read, strings } = useModel()
  const t = strings.value.details
  const chooser = useRef<HTMLInputElement>(null)
  const { isBusy, problem, run } = useAct()
  const set = (avatar: () => Promise<Uint8Array>) =>
    run(async () => {
      await face.setProfile(details.id, { avatar: await avatar() })
      await read.details()
    })
  return (
    <>
      <div class="acts">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => chooser.current?.click()}>
          {isBusy ? t.saving : details.avatar === undefined ? t.setPicture : t.changePicture}
        </button>
        {details.avatar !== undefined && (
          <button type="button" class="button" aria-disabled={isBusy} onClick={() => set(async () => new Uint8Array())}>
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
      <p class="hint">{t.pictureHint}</p>
      <ProblemLine problem={problem} />
    </>
  )
}
