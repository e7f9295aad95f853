import { computed, effect, type Signal, signal, untracked } from '@preact/signals'
import type { AccountView, ChannelView, Connection, Face, InvitationView, LineState, Settings } from '#app/face.ts'
import { en } from '../strings/en.ts'
import { type Language, loadStrings, localeOf, pickLanguage } from '../strings/language.ts'
import { sayError } from '../strings/say-error.ts'
import { orderChannels } from './channel-order.ts'
import { coalesce } from './coalesce.ts'
import { type Conversation, createConversation } from './conversation.ts'
import type { Shell } from './shell.ts'
import { timesIn } from './times.ts'

export type Model = ReturnType<typeof createModel>

const FIRST_SETTINGS: Settings = {
  language: 'auto',
  theme: 'auto',
  density: 'comfortable',
  enterSends: true,
  cover: 'light',
}

/** All that a face shows, as signals: read from the store first, read again when something changed. */
export function createModel(face: Face, shell: Shell, languages: readonly string[], nowMs: () => number) {
  const account = signal<AccountView | undefined>(undefined)
  const channels = signal<readonly ChannelView[] | undefined>(undefined)
  const invitations = signal<readonly InvitationView[]>([])
  const settings = signal<Settings>(FIRST_SETTINGS)
  const connection = signal<Connection>(face.connection())
  const isReady = signal(false)
  const now = signal(nowMs())
  const invitationLink = signal(shell.invitationLink)
  const sharedText = signal('')
  const announcement = signal('')
  const problem = signal<unknown>(undefined)
  /** While somebody points at the list or moves through it, its order is held. */
  const isListHeld = signal(false)
  /** From the second place on, focus follows to the heading; on arrival it stays where the browser put it. */
  const hasMoved = signal(false)
  /** An identity was just made by somebody who came with an invitation and said so. */
  const acceptsAtOnce = signal(false)

  const language = computed(() => pickLanguage(settings.value.language, languages))
  const strings = signal(en)
  const times = computed(() => timesIn(localeOf(language.value, languages), strings.value))
  let listOrder: readonly string[] = []
  const orderedChannels = computed(() => {
    const ordered = orderChannels(channels.value ?? [], isListHeld.value ? listOrder : undefined)
    listOrder = ordered.map((channel) => channel.id)
    return ordered
  })
  const unread = computed(() => (channels.value ?? []).reduce((sum, channel) => sum + channel.unread, 0))

  const report = (error: unknown) => {
    problem.value = error
  }
  function keep<T>(into: Signal<T>, read: () => Promise<T>): () => Promise<void> {
    return coalesce(async () => {
      try {
        into.value = await read()
        problem.value = undefined
      } catch (error) {
        report(error)
      }
    })
  }
  const read = {
    account: keep<AccountView | undefined>(account, () => face.account()),
    channels: keep<readonly ChannelView[] | undefined>(channels, () => face.channels()),
    invitations: keep(invitations, () => face.invitations()),
    settings: keep(settings, () => face.settings()),
  }

  /** The same words twice are said twice: a screen reader speaks what changed. */
  function announce(text: string): void {
    announcement.value = text === announcement.value ? `${text}\u00a0` : text
  }

  const conversations = new Map<string, Conversation>()
  function conversation(channelId: string): Conversation {
    const known = conversations.get(channelId)
    if (known !== undefined) return known
    const made = createConversation(face, channelId, {
      arrived(name, text) {
        if (!isOpen(channelId)) return
        announce(strings.value.conversation.arrived(name, text.slice(0, 200)))
      },
      progressed(state: LineState) {
        if (isOpen(channelId)) announce(strings.value.message[state])
      },
    })
    conversations.set(channelId, made)
    return made
  }

  function isOpen(channelId: string): boolean {
    const route = shell.router.route.value
    return route.at === 'channel' && route.channelId === channelId
  }

  /** Should the words not come, the ones at hand stay. */
  async function speak(wanted: Language): Promise<void> {
    const loaded = await loadStrings(wanted).catch(report)
    if (loaded !== undefined && language.value === wanted) strings.value = loaded
  }

  /** Reads everything once, then keeps reading what changes. Returns the way to stop. */
  function start(): () => void {
    const first = Promise.all([read.account(), read.settings(), read.channels()])
    first
      .then(() => speak(language.value))
      .then(() => {
        isReady.value = true
        read.invitations()
      })
    const stopSpeaking = effect(() => {
      speak(language.value)
    })
    const stopListening = face.subscribe((change) => {
      switch (change.what) {
        case 'connection':
          connection.value = change.connection
          return
        case 'lines':
          conversations.get(change.channelId)?.refresh().catch(report)
          read.channels()
          return
        case 'arrived': // for notifiers; the lines themselves are told as such
          return
        default:
          read[change.what]()
      }
    })
    const clock = setInterval(() => {
      now.value = nowMs()
    }, 30_000)
    let openId: string | undefined
    let moves = 0
    const stopClosing = effect(() => {
      const route = shell.router.route.value
      untracked(() => {
        const nextId = route.at === 'channel' ? route.channelId : undefined
        if (openId !== undefined && openId !== nextId) conversations.get(openId)?.close()
        openId = nextId
        hasMoved.value = moves++ > 0
      })
    })
    return () => {
      stopListening()
      stopClosing()
      stopSpeaking()
      clearInterval(clock)
      for (const each of conversations.values()) each.flushDraft()
    }
  }

  async function makeIdentity(input: { readonly name: string; readonly deviceName: string }): Promise<void> {
    const invited = invitationLink.value !== undefined
    await face.createIdentity(input)
    acceptsAtOnce.value = invited
    shell.router.go({ at: invited ? 'accept' : 'backup' }, { replace: true })
    await read.account()
    // The answer is shown in the settings; here the browser is only asked while somebody is at it (U-07).
    face.askPersistence().catch(report)
  }

  async function acceptInvitation(link: string): Promise<void> {
    const { channelId } = await face.acceptInvitation(link)
    invitationLink.value = undefined
    await read.channels()
    shell.router.go({ at: 'channel', channelId }, { replace: true })
  }

  async function saveSettings(change: Partial<Settings>): Promise<void> {
    const next = { ...settings.value, ...change }
    settings.value = next // answers within the frame
    await face.saveSettings(next).catch(report)
  }

  return {
    face,
    shell,
    account,
    channels,
    orderedChannels,
    invitations,
    settings,
    connection,
    isReady,
    now,
    invitationLink,
    sharedText,
    announcement,
    announce,
    problem,
    isListHeld,
    strings,
    language,
    times,
    unread,
    read,
    nowMs,
    conversation,
    start,
    saveSettings,
    makeIdentity,
    acceptInvitation,
    hasMoved,
    acceptsAtOnce,
    say: (error: unknown) => sayError(strings.value, error),
  }
}
