import type { ChannelView } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

const QUIET_MS = 8 * 60 * 60 * 1000

/** Muted, archived (M-11): for this account alone, on all its devices. */
export function DetailsQuiet({ channel }: { readonly channel: ChannelView }) {
  const { face, nowMs, read, strings, times } = useModel()
  const t = strings.value.details
  const { problem, run } = useAct()
  const { id, muted, archived } = channel
  const act = (what: () => Promise<void>) => () =>
    run(async () => {
      await what()
      await read.channels()
    })
  const said =
    muted === undefined ? '' : muted.untilMs === undefined ? t.muted : t.mutedUntil(times.value.full(muted.untilMs))
  return (
    <>
      <h2>{t.quiet}</h2>
      <p class="hint">{t.muteHint}</p>
      <div role="status">{said !== '' && <p>{said}</p>}</div>
      <div class="acts">
        {muted === undefined ? (
          <>
            <button
              type="button"
              class="button"
              onClick={act(() => face.setMuted(id, { untilMs: nowMs() + QUIET_MS }))}
            >
              {t.muteHours}
            </button>
            <button type="button" class="button" onClick={act(() => face.setMuted(id, {}))}>
              {t.mute}
            </button>
          </>
        ) : (
          <button type="button" class="button" onClick={act(() => face.setMuted(id, false))}>
            {t.unmute}
          </button>
        )}
      </div>
      <p class="hint">{t.archiveHint}</p>
      <button type="button" class="button" onClick={act(() => face.setArchived(id, archived !== true))}>
        {archived ? t.unarchive : t.archive}
      </button>
      <ProblemLine problem={problem} />
    </>
  )
}
