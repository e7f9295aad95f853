import type { ChannelDetails } from '#app/face.ts'
import { sayNames } from '../state/say-notice.ts'
import { useModel } from './use-model.ts'

/** What was asked for and is not so yet, and who could not be added (C-02). */
export function DetailsWaiting({ details: { waiting, missing } }: { readonly details: ChannelDetails }) {
  const { strings, times } = useModel()
  const t = strings.value.details
  return (
    <div role="status">
      {waiting.map((what) => (
        <p key={what} class="hint">
          {t.waiting[what]}
        </p>
      ))}
      {missing.length > 0 && (
        <p class="hint">{t.missing(times.value.list(sayNames(strings.value, times.value, missing)))}</p>
      )}
    </div>
  )
}
