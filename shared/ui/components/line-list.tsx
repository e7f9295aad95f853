import { useComputed, useSignal } from '@preact/signals'
import { ArrowDown } from 'lucide-preact'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ChannelView, Line } from '#app/face.ts'
import type { Conversation } from '../state/conversation.ts'
import { arrange, type Item, localDay } from '../state/group-lines.ts'
import type { Strings } from '../strings/en.ts'
import { LineItem } from './line-item.tsx'
import { useModel } from './use-model.ts'
import { useRove } from './use-rove.ts'
import './line-list.css'

type Props = { readonly channel: ChannelView; readonly conversation: Conversation }
type Anchor = { readonly key: string; readonly top: number }

const AT_END_PX = 24
const LOAD_AHEAD_PX = 600

/**
 * The lines of a channel. The scroller is a reversed column: its origin is the newest line, so that older lines can load
 * above without moving anything, and it opens at the end with no script.
 */
export function LineList({ channel, conversation }: Props) {
  const model = useModel()
  const t = model.strings.value.conversation
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const anchor = useRef<Anchor | undefined>(undefined)
  const isPlaced = useRef(false)
  const drawn = useRef(new Map<string, Drawn>())
  const isAtEnd = useSignal(true)
  const items = useComputed(() =>
    arrange(leftAt(conversation.shown.value, model.now.value), {
      unreadAfter: conversation.unreadAfter.value,
      dayOf: localDay,
    }),
  )
  const keys = items.value.filter((item) => item.kind === 'line').map((item) => item.key)
  const rove = useRove(list, keys, keys.at(-1))
  const isLoaded = conversation.stored.value !== undefined

  const look = () => {
    // On a narrow window the details lie over it.
    const isOver = scroller.current?.checkVisibility({ visibilityProperty: true }) === false
    const isVisible = document.visibilityState === 'visible' && !isOver
    conversation.watch(isVisible && isAtEnd.peek() && conversation.below.peek() === 0)
  }

  const onScroll = () => {
    const box = scroller.current
    if (box === null) return
    const fromEnd = Math.abs(box.scrollTop)
    isAtEnd.value = fromEnd < AT_END_PX && conversation.below.peek() === 0
    anchor.current = isAtEnd.peek() ? undefined : findAnchor(box)
    if (box.scrollHeight - box.clientHeight - fromEnd < LOAD_AHEAD_PX) {
      conversation.loadOlder().catch((error) => {
        conversation.problem.value = error
      })
    }
    if (fromEnd < LOAD_AHEAD_PX && conversation.below.peek() > 0) conversation.loadNewer()
    look()
  }

  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null || !isLoaded) return
    if (!isPlaced.current) {
      isPlaced.current = true
      placeFirst(box)
      onScroll()
      return
    }
    if (isAtEnd.peek() && conversation.below.peek() === 0) box.scrollTop = 0
    else restore(box, anchor.current)
  }, [items.value, isLoaded])

  useEffect(look, [items.value, isLoaded])
  useEffect(() => {
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])

  const jump = () => {
    anchor.current = undefined
    isAtEnd.value = true
    conversation.showLatest()
    scroller.current?.scrollTo({ top: 0 })
    look()
  }
  const newCount = conversation.newCount.value

  return (
    <div class="lines-frame">
      <div class="lines-scroller" ref={scroller} onScroll={onScroll}>
        {isLoaded ? (
          <ol class="lines" aria-label={t.messages} ref={list} onKeyDown={rove.onKeyDown} onFocusIn={rove.onFocusIn}>
            {items.value.map((item) => drawOnce(drawn.current, item, rove.tabIndex(item.key), channel, conversation))}
            {items.value.length === 0 && <li class="lines-empty">{sayEmpty(model.strings.value, channel)}</li>}
          </ol>
        ) : (
          <p class="lines-loading">{model.strings.value.loading}</p>
        )}
      </div>
      {!isAtEnd.value && (
        <button type="button" class="button jump" onClick={jump}>
          <ArrowDown size={16} />
          {newCount > 0 ? t.jumpNew(newCount) : t.jump}
        </button>
      )}
    </div>
  )
}

/** M-04: what is over is not shown, though nobody has read the page again. The same list while nothing in it vanishes. */
function leftAt(shown: readonly Line[], nowMs: number): readonly Line[] {
  const isOver = (line: Line): boolean => line.kind === 'text' && (line.vanishesAtMs ?? nowMs + 1) <= nowMs
  return shown.some(isOver) ? shown.filter((line) => !isOver(line)) : shown
}

type EntryProps = {
  readonly item: Item
  readonly title: string
  readonly kind: ChannelView['kind']
  readonly conversation: Conversation
  readonly tabIndex: number
}
type Drawn = { readonly item: Item; readonly tabIndex: number; readonly title: string; readonly node: JSX.Element }

/** The same node for an unchanged entry: Preact then passes it over, so that one new line costs one line. */
function drawOnce(
  drawn: Map<string, Drawn>,
  item: Item,
  tabIndex: number,
  { title, kind }: ChannelView,
  conversation: Conversation,
): JSX.Element {
  const before = drawn.get(item.key)
  if (before?.tabIndex === tabIndex && before.title === title && isSame(before.item, item)) return before.node
  const shared = { item, title, kind, conversation, tabIndex }
  const node = <Entry key={item.key} {...shared} />
  drawn.set(item.key, { item, tabIndex, title, node })
  return node
}

function isSame(a: Item, b: Item): boolean {
  if (a.kind === 'line' && b.kind === 'line') return a.line === b.line && a.first === b.first && a.last === b.last
  return a.kind === b.kind
}

function Entry({ item, title, kind, conversation, tabIndex }: EntryProps) {
  const { strings, times, now } = useModel()
  if (item.kind === 'day') {
    return (
      <li class="day-line">
        <span>{times.value.day(item.atMs, now.value)}</span>
      </li>
    )
  }
  if (item.kind === 'unread') {
    return (
      <li class="unread-line" data-testid="unread-line">
        <span>{strings.value.conversation.unread}</span>
      </li>
    )
  }
  return <LineItem item={item} title={title} kind={kind} conversation={conversation} tabIndex={tabIndex} />
}

function sayEmpty(t: Strings, { kind, state }: ChannelView): string {
  if (kind === 'notes') return t.notes.empty
  if (state === 'joining') return t.conversation.joining
  return kind === 'group' ? t.conversation.emptyGroup : t.conversation.empty
}

/** Opens at the newest line, or with the unread line near the top when there is more than fits. */
function placeFirst(box: HTMLElement): void {
  box.scrollTop = 0
  const unread = box.querySelector<HTMLElement>('.unread-line')
  if (unread === null) return
  const above = unread.getBoundingClientRect().top - box.getBoundingClientRect().top - 48
  if (above < 0) box.scrollTop += above
}

/** The topmost line on screen: rows are in order, so halves are enough. */
function findAnchor(box: HTMLElement): Anchor | undefined {
  const rows = box.querySelectorAll<HTMLElement>('[data-rove]')
  const edge = box.getBoundingClientRect().top
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) > edge) high = middle
    else low = middle + 1
  }
  const row = rows[low]
  return row?.dataset.rove === undefined ? undefined : { key: row.dataset.rove, top: row.getBoundingClientRect().top }
}

function restore(box: HTMLElement, anchor: Anchor | undefined): void {
  if (anchor === undefined) return
  const row = [...box.querySelectorAll<HTMLElement>('[data-rove]')].find((each) => each.dataset.rove === anchor.key)
  if (row !== undefined) box.scrollTop += row.getBoundingClientRect().top - anchor.top
}
