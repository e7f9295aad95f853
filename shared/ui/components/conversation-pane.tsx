import { Info } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { titleOf } from '../state/channel-title.ts'
import type { Conversation } from '../state/conversation.ts'
import { Composer } from './composer.tsx'
import { ConnectionLine } from './connection-line.tsx'
import { ConversationNotices } from './conversation-notices.tsx'
import { GroupPicture } from './group-picture.tsx'
import { LineList } from './line-list.tsx'
import { PaneHead } from './pane-head.tsx'
import { RequestBar } from './request-bar.tsx'
import { useModel } from './use-model.ts'
import './conversation-pane.css'

export function ConversationPane({ channelId }: { readonly channelId: string }) {
  const model = useModel()
  const channel = model.channels.value?.find((each) => each.id === channelId)
  const t = model.strings.value.conversation
  if (channel === undefined) {
    return (
      <section class="conversation" aria-label={t.messages}>
        <PaneHead title={t.messages} of={channelId} />
        {model.isReady.value && <p class="notice">{t.missing}</p>}
      </section>
    )
  }
  return <OpenConversation key={channelId} channel={channel} conversation={model.conversation(channelId)} />
}

type Props = { readonly channel: ChannelView; readonly conversation: Conversation }

function OpenConversation({ channel, conversation }: Props) {
  const { people, read, shell, strings } = useModel()
  const pane = useRef<HTMLElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const title = titleOf(channel, strings.value)
  useEffect(() => {
    conversation.open().catch((error) => {
      conversation.problem.value = error
    })
    if (channel.kind !== 'notes') {
      read.details(channel.id)
      if (people.peek() === undefined) read.people()
    }
    const flush = () => conversation.flushDraft()
    addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      conversation.close()
    }
  }, [conversation])

  const hasDetails = shell.router.route.value.at === 'details'
  const hadDetails = useRef(false)
  useEffect(() => {
    // Focus comes back to where the details were opened.
    if (hadDetails.current && !hasDetails) opener.current?.focus()
    hadDetails.current = hasDetails
  }, [hasDetails])

  /** Whoever starts typing means the composer. */
  const typeAnywhere = (event: KeyboardEvent) => {
    const isSign = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    const target = event.target as HTMLElement
    if (isSign && !target.closest('textarea, input, select')) pane.current?.querySelector('textarea')?.focus()
  }
  return (
    <section class="conversation" ref={pane} aria-label={title} onKeyDown={typeAnywhere}>
      <PaneHead
        title={title}
        of={channel.id}
        picture={channel.avatar && <GroupPicture class="head-picture" bytes={channel.avatar} />}
      >
        {channel.kind !== 'notes' && (
          <button
            type="button"
            class="icon-button"
            ref={opener}
            aria-label={strings.value.details.open}
            aria-expanded={hasDetails}
            onClick={() => shell.router.go({ at: 'details', channelId: channel.id })}
          >
            <Info size={20} />
          </button>
        )}
      </PaneHead>
      <ConnectionLine />
      <ConversationNotices channel={channel} />
      <LineList channel={channel} conversation={conversation} />
      {channel.request !== undefined && <RequestBar channel={channel} request={channel.request} />}
      {channel.request === undefined && channel.left === undefined && (
        <Composer conversation={conversation} kind={channel.kind} />
      )}
    </section>
  )
}
