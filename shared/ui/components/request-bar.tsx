import type { ChannelView, RequestView } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly channel: ChannelView; readonly request: RequestView }

/** In place of the composer, until it is said whether this person may talk to one (M-11). */
export function RequestBar({ channel, request }: Props) {
  const { face, read, shell, strings } = useModel()
  const t = strings.value.requests
  const { isBusy, problem, run } = useAct()
  const accept = () =>
    run(async () => {
      await face.acceptRequest(channel.id)
      await read.channels()
    })
  const decline = (blocks: boolean) =>
    run(async () => {
      if (blocks) await face.setBlocked(request.from, true)
      await face.declineRequest(channel.id)
      await read.channels()
      shell.router.go({ at: 'list' }, { replace: true })
    })
  return (
    <section class="request" aria-label={t.row} data-testid="request">
      <p>{request.name === '' ? t.leadNameless : t.lead(isolate(request.name))}</p>
      <p class="hint">{t.what}</p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="button" class="button primary" aria-disabled={isBusy} onClick={accept}>
          {t.accept}
        </button>
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => decline(false)}>
          {t.decline}
        </button>
        <button type="button" class="button danger" aria-disabled={isBusy} onClick={() => decline(true)}>
          {t.block}
        </button>
      </div>
    </section>
  )
}
