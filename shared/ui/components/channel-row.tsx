import { BellOff, Hash, NotebookPen, UsersRound } from 'lucide-preact'
import type { ChannelView, LineState } from '#app/face.ts'
import { titleOf } from '../state/channel-title.ts'
import { routePath } from '../state/router.ts'
import { GroupPicture } from './group-picture.tsx'
import { Tick, tickOf } from './tick.tsx'
import { useModel } from './use-model.ts'
import './channel-row.css'

type Props = {
  readonly channel: ChannelView
  readonly tabIndex: number
  readonly isCurrent: boolean
  readonly isHome?: boolean
}

export function ChannelRow({ channel, tabIndex, isCurrent, isHome = false }: Props) {
  const { shell, strings, times, now } = useModel()
  const t = strings.value
  const isNotes = channel.kind === 'notes'
  const path = routePath({ at: 'channel', channelId: channel.id })
  return (
    <a
      class="channel-row"
      data-rove={channel.id}
      data-kind={channel.kind}
      data-unread={channel.unread > 0 || undefined}
      data-muted={channel.muted !== undefined || undefined}
      href={shell.kind === 'web' ? path : `#${path}`}
      tabIndex={tabIndex}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        // A key held while clicking asks the browser for a new tab or window.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        shell.router.go({ at: 'channel', channelId: channel.id })
      }}
    >
      <span class="avatar" aria-hidden="true">
        {channel.avatar !== undefined ? (
          <GroupPicture class="avatar-picture" bytes={channel.avatar} />
        ) : isNotes ? (
          <NotebookPen size={18} />
        ) : channel.space !== undefined ? (
          <Hash size={18} />
        ) : channel.kind === 'group' ? (
          <UsersRound size={18} />
        ) : (
          initials(channel.title)
        )}
      </span>
      <span class="channel-title" dir="auto">
        {isHome ? t.spaces.general : titleOf(channel, t)}
        {channel.muted !== undefined && <BellOff size={14} role="img" aria-label={t.list.muted} aria-hidden="false" />}
      </span>
      {channel.lastAtMs > 0 && (
        <time class="channel-time" dateTime={new Date(channel.lastAtMs).toISOString()}>
          {times.value.row(channel.lastAtMs, now.value)}
        </time>
      )}
      <span class="channel-last">
        <LastLine channel={channel} />
      </span>
      {channel.unread > 0 && (
        <span class="channel-unread">
          <span aria-hidden="true">{channel.unread > 999 ? '999+' : channel.unread}</span>
          <span class="sr-only">{t.list.unread(channel.unread)}</span>
        </span>
      )}
    </a>
  )
}

function LastLine({ channel }: { readonly channel: ChannelView }) {
  const { strings, times } = useModel()
  const t = strings.value
  if (channel.request !== undefined) return <span class="is-accent">{t.requests.row}</span>
  if (channel.left !== undefined) return <>{t.left.row[channel.left]}</>
  if (channel.asking !== undefined) {
    return <span class="is-accent">{t.joins.waiting(times.value.count(channel.asking))}</span>
  }
  if (channel.lastState === 'failed') {
    return (
      <>
        <span class="is-danger">{t.message.failed}</span> <Clipped text={channel.lastText} />
      </>
    )
  }
  if (channel.draft.trim() !== '') {
    return (
      <>
        <span class="is-accent">{t.list.draft}</span> <Clipped text={channel.draft} />
      </>
    )
  }
  if (channel.state === 'paused') return <span class="is-warn">{t.list.paused}</span>
  if (channel.state === 'returning') return <>{t.list.returning}</>
  if (channel.lastText === '') {
    if (channel.kind === 'notes') return <>{t.notes.nothing}</>
    return <>{channel.state === 'joining' ? t.list.joining : t.list.nothingSaid}</>
  }
  const mine = channel.lastState !== 'theirs' && channel.lastState !== 'none'
  return (
    <>
      {mine && <Tick state={tickOf(channel.lastState as LineState, channel.kind)} />}
      <Clipped text={channel.lastText} />
    </>
  )
}

/** In its own direction, so that it is the end of it that is cut. */
function Clipped({ text }: { readonly text: string }) {
  return (
    <span class="channel-clipped" dir="auto">
      {text}
    </span>
  )
}

/** The first sign of the first and of the last word, whole even when it is made of several code points. */
export function initials(title: string): string {
  const words = title.trim().split(/\s+/u)
  const signs = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => firstSign(word ?? ''))
  return signs.join('').toUpperCase()
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function firstSign(word: string): string {
  for (const { segment } of segmenter.segment(word)) return segment
  return ''
}
