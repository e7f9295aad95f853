import { useEffect } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { titleOf } from '../state/channel-title.ts'
import { PaneHead } from './pane-head.tsx'
import { useModel } from './use-model.ts'

/** May something be written there? */
function isWritable({ left, request }: ChannelView): boolean {
  return left === undefined && request === undefined
}

/** What another app handed over: it goes into a composer, never straight out. */
export function SharePane() {
  const model = useModel()
  const { strings, sharedText, shell } = model
  const t = strings.value.share
  useEffect(() => {
    shell.takeSharedText?.().then(
      (text) => {
        if (text !== '') sharedText.value = text
      },
      (error) => {
        model.problem.value = error
      },
    )
  }, [])
  const choose = async (channelId: string) => {
    const { draft, setDraft } = model.conversation(channelId)
    const begun = draft.value === '' ? await model.face.draft(channelId).catch(() => '') : draft.value
    setDraft(begun === '' ? sharedText.value : `${begun}\n${sharedText.value}`)
    sharedText.value = ''
    shell.router.go({ at: 'channel', channelId }, { replace: true })
  }
  const text = sharedText.value
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{text === '' ? t.nothing : t.lead}</p>
        {text !== '' && (
          <>
            <blockquote class="shared" dir="auto" aria-label={t.text}>
              {text}
            </blockquote>
            <ul class="choices">
              {model.orderedChannels.value.filter(isWritable).map((channel) => (
                <li key={channel.id}>
                  <button type="button" class="button wide" onClick={() => choose(channel.id)}>
                    <bdi>{titleOf(channel, strings.value)}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
