import { PanelRightOpen, Settings, UserPlus, UsersRound } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { isPutAway } from '../state/channel-order.ts'
import { channelOf } from '../state/router.ts'
import { shownOf, spaceKey, withSpaces } from '../state/space-list.ts'
import { ChannelRow } from './channel-row.tsx'
import { ConnectionLine } from './connection-line.tsx'
import { Mark } from './mark.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { ReminderLine } from './reminder-line.tsx'
import { SpaceSection } from './space-section.tsx'
import { useModel } from './use-model.ts'
import { useRove } from './use-rove.ts'
import { WorkBar } from './work-bar.tsx'
import './channel-list.css'

export function ChannelListPane() {
  const { shell, strings, channels, problem } = useModel()
  const t = strings.value.list
  return (
    <section class="list-pane" aria-label={t.title}>
      <PaneHead title={t.title} noBack>
        <div class="list-acts">
          {shell.openFullView && (
            <button type="button" class="icon-button" aria-label={t.fullView} onClick={shell.openFullView}>
              <PanelRightOpen size={20} class="turns" />
            </button>
          )}
          <button
            type="button"
            class="icon-button"
            aria-label={t.newGroup}
            onClick={() => shell.router.go({ at: 'group' })}
          >
            <UsersRound size={20} />
          </button>
          {!hasNobody(channels.value) && (
            <button
              type="button"
              class="icon-button"
              aria-label={t.invite}
              onClick={() => shell.router.go({ at: 'invite' })}
            >
              <UserPlus size={20} />
            </button>
          )}
          <button
            type="button"
            class="icon-button only-narrow"
            aria-label={t.settings}
            onClick={() => shell.router.go({ at: 'settings' })}
          >
            <Settings size={20} />
          </button>
        </div>
      </PaneHead>
      <ConnectionLine />
      <WorkBar />
      <ProblemLine problem={problem.value} />
      <Channels />
      <PutAway />
      <ReminderLine />
    </section>
  )
}

/** Notes to self are no company. */
export function hasNobody(channels: readonly ChannelView[] | undefined): boolean {
  return channels?.every(({ kind }) => kind === 'notes') === true
}

function Channels() {
  const model = useModel()
  const list = useRef<HTMLElement>(null)
  const channels = model.orderedChannels.value
  const route = model.shell.router.route.value
  const currentId = route.at === 'space' ? undefined : channelOf(route)
  const items = withSpaces(channels, model.channels.value ?? [])
  const ids = items.flatMap((item) =>
    item.is === 'channel'
      ? [item.channel.id]
      : [spaceKey(item.id), ...shownOf(item, model.folded.value.has(item.id), currentId).map(({ id }) => id)],
  )
  const rove = useRove(list, ids, currentId !== undefined && ids.includes(currentId) ? currentId : ids[0])
  const lastId = useRef<string | undefined>(undefined)
  if (route.at === 'space') lastId.current = spaceKey(route.channelId)
  else if (currentId !== undefined) lastId.current = currentId
  useEffect(() => {
    // On the way back, focus comes to where one left the list.
    if (route.at !== 'list' || !model.hasMoved.peek()) return
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-rove]') ?? [])]
    rows.find((row) => row.dataset.rove === lastId.current)?.focus()
  }, [route.at])
  if (model.channels.value === undefined) return <div class="channels" />
  if (model.channels.value.length === 0) return <NobodyYet />
  const isAlone = hasNobody(model.channels.value)
  const hold = (held: boolean) => () => {
    model.isListHeld.value = held
  }
  const rows = (
    <nav
      class="channels"
      data-alone={isAlone || undefined}
      aria-label={model.strings.value.list.title}
      ref={list}
      onKeyDown={rove.onKeyDown}
      onFocusIn={rove.onFocusIn}
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
    >
      <ul>
        {items.map((item) =>
          item.is === 'space' ? (
            <SpaceSection key={item.id} space={item} tabIndex={rove.tabIndex} currentId={currentId} />
          ) : (
            <li key={item.channel.id}>
              <ChannelRow
                channel={item.channel}
                tabIndex={rove.tabIndex(item.channel.id)}
                isCurrent={item.channel.id === currentId}
              />
            </li>
          ),
        )}
      </ul>
    </nav>
  )
  return isAlone ? (
    <>
      {rows}
      <NobodyYet />
    </>
  ) : (
    rows
  )
}

/** The way to what is archived or blocked, and back (M-11). */
function PutAway() {
  const { channels, showsPutAway, strings, times } = useModel()
  const t = strings.value.list
  const count = (channels.value ?? []).filter(isPutAway).length
  if (count === 0 && !showsPutAway.value) return null
  return (
    <button
      type="button"
      class="text-button put-away"
      aria-pressed={showsPutAway.value}
      onClick={() => {
        showsPutAway.value = !showsPutAway.value
      }}
    >
      {showsPutAway.value ? t.archivedShown : t.archived(times.value.count(count))}
    </button>
  )
}

/** An empty list teaches one thing and offers one act. */
function NobodyYet() {
  const { shell, strings } = useModel()
  const t = strings.value.list
  return (
    <div class="channels nobody">
      <Mark size={40} />
      <p>{t.empty}</p>
      <button type="button" class="button primary" onClick={() => shell.router.go({ at: 'invite' })}>
        {t.invite}
      </button>
      <button type="button" class="text-button" onClick={() => shell.router.go({ at: 'accept' })}>
        {t.accept}
      </button>
      <button type="button" class="text-button" onClick={() => shell.router.go({ at: 'find' })}>
        {strings.value.findChannel.title}
      </button>
    </div>
  )
}
