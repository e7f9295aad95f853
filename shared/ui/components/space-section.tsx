import { ChevronDown, Info, UserPlus } from 'lucide-preact'
import { useId } from 'preact/hooks'
import { type SpaceItem, shownOf, spaceKey } from '../state/space-list.ts'
import { ChannelRow } from './channel-row.tsx'
import { RouteLink } from './route-link.tsx'
import { useModel } from './use-model.ts'
import './space-section.css'

type Props = {
  readonly space: SpaceItem
  readonly tabIndex: (key: string) => number
  readonly currentId: string | undefined
}

/** A space in the channel list: its name folds it, with the keyboard by the arrows too (C-10). */
export function SpaceSection({ space, tabIndex, currentId }: Props) {
  const { folded, fold, strings, times } = useModel()
  const t = strings.value
  const listId = useId()
  const { id, title, unread, asking } = space
  const isFolded = folded.value.has(id)
  return (
    <li class="space">
      <div class="space-head">
        <button
          type="button"
          class="space-fold"
          data-rove={spaceKey(id)}
          data-unread={unread > 0 || undefined}
          tabIndex={tabIndex(spaceKey(id))}
          aria-expanded={!isFolded}
          aria-controls={listId}
          onClick={() => fold(id, !isFolded)}
          onKeyDown={(event) => {
            const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
            if (event.key === (isRtl ? 'ArrowRight' : 'ArrowLeft')) fold(id, true)
            else if (event.key === (isRtl ? 'ArrowLeft' : 'ArrowRight')) fold(id, false)
          }}
        >
          <ChevronDown size={16} class="space-mark" />
          <span class="space-title" dir="auto">
            {title}
          </span>
          {isFolded && asking > 0 && (
            <UserPlus size={16} class="is-accent" role="img" aria-label={t.joins.waiting(times.value.count(asking))} />
          )}
          {unread > 0 && (
            <span class="channel-unread">
              <span aria-hidden="true">{unread > 999 ? '999+' : unread}</span>
              <span class="sr-only">{t.list.unread(unread)}</span>
            </span>
          )}
        </button>
        <RouteLink to={{ at: 'space', channelId: id }} class="icon-button space-about" label={t.spaces.about(title)}>
          <Info size={16} />
        </RouteLink>
      </div>
      <ul id={listId} aria-label={title}>
        {shownOf(space, isFolded, currentId).map((channel) => (
          <li key={channel.id}>
            <ChannelRow
              channel={channel}
              tabIndex={tabIndex(channel.id)}
              isCurrent={channel.id === currentId}
              isHome={channel.id === id}
            />
          </li>
        ))}
      </ul>
    </li>
  )
}
