import { Timer } from 'lucide-preact'
import type { ChannelView, Line } from '#app/face.ts'
import type { Conversation } from '../state/conversation.ts'
import type { Item } from '../state/group-lines.ts'
import { isolate, sayNotice } from '../state/say-notice.ts'
import { sayCode } from '../strings/say-error.ts'
import { LineText } from './line-text.tsx'
import { Tick, tickOf } from './tick.tsx'
import { useModel } from './use-model.ts'
import './line-item.css'

type Props = {
  readonly item: Item & { readonly kind: 'line' }
  /** Of the conversation. */
  readonly title: string
  readonly kind: ChannelView['kind']
  readonly conversation: Conversation
  readonly tabIndex: number
}

export function LineItem({ item, title, kind, conversation, tabIndex }: Props) {
  const { strings, times } = useModel()
  const { line, first, last } = item
  const t = strings.value
  const clock = times.value.clock(line.atMs)
  if (line.kind === 'notice') {
    return (
      <li class="line-notice" data-testid="line" data-line-state="notice" data-rove={item.key} tabIndex={tabIndex}>
        {line.notice === 'joined' ? t.conversation.joined(line.name) : t.conversation[line.notice]}
      </li>
    )
  }
  if (line.kind === 'group') {
    return (
      <li class="line-notice" data-testid="line" data-line-state="notice" data-rove={item.key} tabIndex={tabIndex}>
        {sayNotice(t, times.value, line)}
      </li>
    )
  }
  const { mine } = line.author
  const author = line.author.name === '' ? t.notices.somebody : line.author.name
  // In a conversation of two the title names the other already.
  const isNamed = first && !mine && line.author.name !== title
  const state = line.kind === 'unreadable' ? 'unreadable' : mine ? line.state : 'theirs'
  return (
    <li
      class="line"
      data-testid="line"
      data-line-state={state}
      data-mine={mine || undefined}
      data-first={first || undefined}
      data-last={last || undefined}
      data-rove={item.key}
      tabIndex={tabIndex}
    >
      <span class="sr-only">{mine ? t.conversation.you : author}</span>
      {isNamed && (
        <span class="line-author" aria-hidden="true">
          <bdi>{author}</bdi>
        </span>
      )}
      <div class="line-row">
        {line.kind === 'text' ? (
          <div class="line-body">
            <LineText text={line.text} />
          </div>
        ) : (
          <div class="line-body line-unreadable">
            {t.message.unreadable} {sayCode(t, line.cause)}
          </div>
        )}
        <span class="line-meta">
          {line.kind === 'text' && line.vanishesAtMs !== undefined && (
            <Timer
              size={12}
              role="img"
              aria-label={t.message.vanishes(times.value.full(line.vanishesAtMs))}
              data-testid="vanishes"
            />
          )}
          <time class="line-time" dateTime={new Date(line.atMs).toISOString()} title={times.value.full(line.atMs)}>
            {clock}
          </time>
          {line.kind === 'text' && mine && line.state !== 'failed' && <Tick state={tickOf(line.state, kind)} />}
        </span>
      </div>
      {line.kind === 'text' && line.sharedBy && (
        <p class="hint line-aside">
          {t.history.sharedBy(isolate(line.sharedBy.name === '' ? t.notices.somebody : line.sharedBy.name))}
        </p>
      )}
      {line.kind === 'text' && line.aside && <p class="hint line-aside">{t.message.aside}</p>}
      {line.kind === 'text' && mine && line.state === 'failed' && <Failure line={line} conversation={conversation} />}
    </li>
  )
}

type FailureProps = { readonly line: Line & { readonly kind: 'text' }; readonly conversation: Conversation }

function Failure({ line, conversation }: FailureProps) {
  const t = useModel().strings.value
  return (
    <div class="line-failure">
      <p>
        <Tick state="failed" /> {t.message.failed}. {line.failure !== undefined && sayCode(t, line.failure)}
      </p>
      <button type="button" class="text-button" onClick={() => conversation.retry(line.id)}>
        {t.message.retry}
      </button>
      <button type="button" class="text-button" onClick={() => conversation.discard(line)}>
        {t.message.discard}
      </button>
    </div>
  )
}
