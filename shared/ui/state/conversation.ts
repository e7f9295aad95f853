import { batch, computed, signal } from '@preact/signals'
import type { Face, Line, LineState } from '#app/face.ts'
import { coalesce } from './coalesce.ts'
import { continues, MAX_SHOWN, mergeNewest, newestTheirs, PAGE, rereadLimit } from './merge-lines.ts'

/** A message that was sent from here and is not in the store yet: shown within the same frame. */
type Sending = { readonly line: Line & { readonly kind: 'text' } }

export type ConversationEvents = {
  arrived(name: string, text: string): void
  progressed(state: LineState): void
}

export type Conversation = ReturnType<typeof createConversation>

const DRAFT_DELAY_MS = 400

/** One open channel: its lines as far as they were read, the place of the unread line, and what is being written. */
export function createConversation(face: Face, channelId: string, events: ConversationEvents) {
  const stored = signal<readonly Line[] | undefined>(undefined)
  const sending = signal<readonly Sending[]>([])
  const hasOlder = signal(false)
  const loadingOlder = signal(false)
  const unreadAfter = signal<number | undefined>(undefined)
  const readUpTo = signal(-1)
  /** How many of the newest lines are off the page, while somebody reads far above. */
  const below = signal(0)
  const draft = signal('')
  const problem = signal<unknown>(undefined)
  let opening: Promise<void> = Promise.resolve()
  let isWatched = false
  let sendingCount = 0
  let draftTimer: ReturnType<typeof setTimeout> | undefined

  const all = computed(() => [...(stored.value ?? []), ...sending.value.map(({ line }) => line)])
  const shown = computed(() => {
    const end = all.value.length - below.value
    return all.value.slice(Math.max(0, end - MAX_SHOWN), end)
  })
  const newCount = computed(
    () => (stored.value ?? []).filter((line) => !line.author.mine && line.order > readUpTo.value).length,
  )

  /** Reading starts: the unread line gets its place and keeps it until the channel is left. */
  function open(): Promise<void> {
    opening = readFirst()
    return opening
  }

  async function readFirst(): Promise<void> {
    const [page, saved] = await Promise.all([face.lines(channelId, { limit: PAGE }), face.draft(channelId)])
    let { lines, hasOlder: older } = page
    // All that is unread comes along, so that the unread line has its place.
    while (older && lines.length < MAX_SHOWN && (lines[0]?.order ?? 0) > page.readUpTo) {
      const more = await face.lines(channelId, { before: lines[0]?.order ?? 0, limit: PAGE })
      lines = [...more.lines, ...lines]
      older = more.hasOlder
    }
    batch(() => {
      stored.value = lines
      hasOlder.value = older
      below.value = 0
      readUpTo.value = page.readUpTo
      unreadAfter.value = newestTheirs(lines) > page.readUpTo ? page.readUpTo : undefined
      if (draft.value === '') draft.value = saved
    })
  }

  const refresh = coalesce(async () => {
    await opening
    const held = stored.value
    if (held === undefined) return
    const page = await face.lines(channelId, { limit: rereadLimit(held) })
    let lines = page.lines
    let older = page.hasOlder
    while (held.length > 0 && older && !continues(held, lines)) {
      const more = await face.lines(channelId, { before: lines[0]?.order ?? 0, limit: PAGE })
      lines = [...more.lines, ...lines]
      older = more.hasOlder
    }
    batch(() => take(lines, older))
  })

  function take(page: readonly Line[], pageHasOlder: boolean): void {
    const held = stored.value ?? []
    const known = new Map(held.map((line) => [line.id, line]))
    const next = mergeNewest(held, page)
    const oldest = held[0]?.order ?? -1
    const fresh = page.filter((line) => !known.has(line.id) && line.order > oldest)
    if (next.length === page.length) hasOlder.value = pageHasOlder
    // While somebody reads above, what comes in below must not push the page along.
    if (below.value > 0) below.value += fresh.length
    stored.value = next
    for (const line of fresh) {
      if (line.kind !== 'text') continue
      if (line.author.mine) {
        const twin = sending.value.find((each) => each.line.text === line.text)
        sending.value = sending.value.filter((each) => each !== twin)
      } else events.arrived(line.author.name, line.text)
    }
    const arrived = fresh.some((line) => !line.author.mine)
    if (arrived && !isWatched && unreadAfter.value === undefined) unreadAfter.value = readUpTo.value
    const moved = page.findLast((line) => {
      const before = known.get(line.id)
      return line.kind === 'text' && line.author.mine && before?.kind === 'text' && before.state !== line.state
    })
    if (moved?.kind === 'text') events.progressed(moved.state)
  }

  async function loadOlder(): Promise<void> {
    const lines = stored.value
    if (lines === undefined || loadingOlder.value) return
    const firstShown = lines.length + sending.value.length - below.value - MAX_SHOWN
    if (firstShown > 0) {
      below.value += Math.min(PAGE, firstShown)
      return
    }
    const first = lines[0]
    if (!hasOlder.value || first === undefined) return
    loadingOlder.value = true
    try {
      const page = await face.lines(channelId, { before: first.order, limit: PAGE })
      batch(() => {
        const present = stored.value ?? []
        stored.value = [...page.lines, ...present]
        hasOlder.value = page.hasOlder
        const over = present.length + page.lines.length + sending.value.length - below.value - MAX_SHOWN
        if (over > 0) below.value += over
      })
    } finally {
      loadingOlder.value = false
    }
  }

  function loadNewer(): void {
    if (below.value > 0) below.value = Math.max(0, below.value - PAGE)
  }

  function showLatest(): void {
    below.value = 0
  }

  /** The newest line is on screen and somebody looks at it, or not any more. */
  function watch(watched: boolean): void {
    isWatched = watched
    const newest = newestTheirs(stored.value ?? [])
    if (!watched || below.value > 0 || newest <= readUpTo.value) return
    readUpTo.value = newest
    face.markRead(channelId, newest).catch((error) => {
      problem.value = error
    })
  }

  async function send(text: string, nowMs: number): Promise<void> {
    const entry = { line: pendingLine(`sending ${++sendingCount}`, text, nowMs) }
    batch(() => {
      sending.value = [...sending.value, entry]
      below.value = 0
      unreadAfter.value = undefined
      problem.value = undefined
    })
    draft.value = ''
    stopDraftTimer()
    try {
      await face.sendText(channelId, text)
      // Not before: of a window that is shut in between, the text is still there as its draft (U-03).
      if (draftTimer === undefined) storeDraft()
      await refresh()
    } catch (error) {
      problem.value = error
      setDraft(draft.value === '' ? text : `${text}\n${draft.value}`)
    } finally {
      sending.value = sending.value.filter((each) => each !== entry)
    }
  }

  async function retry(messageId: string): Promise<void> {
    await attempt(() => face.retry(channelId, messageId))
  }

  /** Takes a message that could not go out back into the composer. */
  async function discard(line: Line & { readonly kind: 'text' }): Promise<void> {
    await attempt(async () => {
      await face.discard(channelId, line.id)
      setDraft(draft.value === '' ? line.text : `${line.text}\n${draft.value}`)
    })
  }

  async function attempt(act: () => Promise<void>): Promise<void> {
    problem.value = undefined
    try {
      await act()
      await refresh()
    } catch (error) {
      problem.value = error
    }
  }

  function setDraft(text: string): void {
    draft.value = text
    clearTimeout(draftTimer)
    draftTimer = setTimeout(flushDraft, DRAFT_DELAY_MS)
  }

  function flushDraft(): void {
    if (draftTimer === undefined) return
    stopDraftTimer()
    storeDraft()
  }

  function stopDraftTimer(): void {
    clearTimeout(draftTimer)
    draftTimer = undefined
  }

  function storeDraft(): void {
    face.saveDraft(channelId, draft.value).catch((error) => {
      problem.value = error
    })
  }

  /** Somebody went elsewhere. */
  function close(): void {
    flushDraft()
    batch(() => {
      isWatched = false
      unreadAfter.value = undefined
      problem.value = undefined
    })
  }

  return {
    channelId,
    stored,
    shown,
    hasOlder,
    loadingOlder,
    unreadAfter,
    newCount,
    below,
    draft,
    problem,
    open,
    refresh,
    loadOlder,
    loadNewer,
    showLatest,
    watch,
    send,
    retry,
    discard,
    setDraft,
    flushDraft,
    close,
  }
}

function pendingLine(id: string, text: string, atMs: number): Sending['line'] {
  return {
    id,
    order: Number.MAX_SAFE_INTEGER,
    atMs,
    author: { id: 'me', name: '', mine: true },
    kind: 'text',
    text,
    state: 'waiting',
  }
}
