import { useEffect, useState } from 'preact/hooks'
import type { HistoryOffer } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import { useNearFocus } from './use-near-focus.ts'

/** So much was shared with this account that the person says first whether to take it (C-11). */
export function HistoryOffers({ channelId }: { readonly channelId: string }) {
  const { face, strings, times } = useModel()
  const t = strings.value
  const [offers, setOffers] = useState<readonly HistoryOffer[]>([])
  const { isBusy, problem, run } = useAct()
  const { onFocusIn } = useNearFocus()
  const look = () => face.historyOffers(channelId).then(setOffers, () => {})
  useEffect(() => {
    look()
    return face.subscribe((change) => {
      if (change.what === 'work' || (change.what === 'lines' && change.channelId === channelId)) look()
    })
  }, [channelId])
  const answer = (id: string, takes: boolean) =>
    run(async () => {
      await face.answerHistory(channelId, id, takes)
      await look()
    })
  return (
    <>
      {offers.map(({ id, by, count }) => (
        <div key={id} class="notice" role="status" data-testid="history-offer" onFocusIn={onFocusIn}>
          <p>{t.history.offer(isolate(by === '' ? t.notices.somebody : by), times.value.count(count))}</p>
          <ProblemLine problem={problem} />
          <button type="button" class="text-button" aria-disabled={isBusy} onClick={() => answer(id, true)}>
            {t.history.take}
          </button>
          <button type="button" class="text-button" aria-disabled={isBusy} onClick={() => answer(id, false)}>
            {t.history.decline}
          </button>
        </div>
      ))}
    </>
  )
}
