import { computed, effect, signal, untracked } from '@preact/signals'
import type { AccountView, Connection, Face, LineState, RestoreKey, Settings } from '#app/face.ts'
import { en } from '../strings/en.ts'
import { type Language, loadStrings, localeOf, pickLanguage } from '../strings/language.ts'
import { sayError } from '../strings/say-error.ts'
import { isPutAway, orderChannels } from './channel-order.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { createReadings } from './readings.ts'
import { REMIND_AGAIN_MS, reminder } from './reminder.ts'
import { channelOf } from './router.ts'
import type { Shell } from './shell.ts'
import { recallFolded, rememberFolded } from './space-list.ts'
import { timesIn } from './times.ts'

export type Model = ReturnType<typeof createModel>

const TOUCH_EVERY_MS = 15_000

/** All that a face shows, as signals: read from the store first, read again when something changed. */
export function createModel(
  face: Face,
  shell: Shell,
  languages: readonly string[],
  nowMs: () => number,
  look: Partial<Settings> = {},
) {
  const readings = createReadings(face, look)
  const { account, channels, settings, lock, read, report, isShut } = readings
  const connection = signal<Connection>(face.connection())
  const isReady = signal(false)
  const now = signal(nowMs())
  const invitationLink = signal(shell.invitationLink)
  const deviceLink = signal(shell.deviceLink)
  const sharedText = signal('')
  const announcement = signal('')
  /** M-11: the list shows what is archived or blocked, in place of what is not. */
  const showsPutAway = signal(false)
  /** Spaces that show their name alone (C-10). */
  const folded = signal(recallFolded())
  /** While somebody points at the list or moves through it, its order is held. */
  const isListHeld = signal(false)
  /** From the second place on, focus follows to the heading; on arrival it stays where the browser put it. */
  const hasMoved = signal(false)
  /** An identity was just made by somebody who came with an invitation and said so. */
  const acceptsAtOnce = signal(false)

  /** Somebody goes on with a device that was removed (K-07). */
  const startsAnew = signal(false)

  const language = computed(() => pickLanguage(settings.value.language, languages))
  const strings = signal(en)
  const times = computed(() => timesIn(localeOf(language.value, languages), strings.value))
  let listOrder: readonly string[] = []
  const orderedChannels = computed(() => {
    const shown = (channels.value ?? []).filter((channel) => isPutAway(channel) === showsPutAway.value)
    const ordered = orderChannels(shown, isListHeld.value ? listOrder : undefined)
    listOrder = ordered.map((channel) => channel.id)
    return ordered
  })
  const unread = computed(() => {
    const heard = (channels.value ?? []).filter((channel) => channel.muted === undefined && !isPutAway(channel))
    return heard.reduce((sum, channel) => sum + channel.unread, 0)
  })

  const reminding = computed(() =>
    reminder({
      account: account.value,
      channels: channels.value ?? [],
      settings: settings.value,
      nowMs: now.value,
    }),
  )

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
        announce(strings.value.conversation.arrived(name || strings.value.notices.somebody, text.slice(0, 200)))
      },
      progressed(state: LineState) {
        if (isOpen(channelId)) announce(strings.value.message[state])
      },
    })
    conversations.set(channelId, made)
    return made
  }

  function isOpen(channelId: string): boolean {
    return channelOf(shell.router.route.value) === channelId
  }

  /** Should the words not come, the ones at hand stay. */
  async function speak(wanted: Language): Promise<void> {
    const loaded = await loadStrings(wanted).catch(report)
    if (loaded !== undefined && language.value === wanted) strings.value = loaded
  }

  /** K-10: of what was on the screen, nothing is left in memory. */
  function lockUp(): void {
    conversations.clear()
    readings.forget()
    listOrder = []
    sharedText.value = ''
    announcement.value = ''
    showsPutAway.value = false
    if (!isReady.peek()) settings.value = { ...settings.peek(), ...look } // the true ones are sealed
  }

  /** The account has come to this device, or is unlocked. */
  function moveIn(): void {
    read.all()
    if (shell.router.route.peek().at === 'restore') shell.router.go({ at: 'list' }, { replace: true })
  }

  /** Of what only some pages show: what was shown is read again. */
  function readShown(isOfPeople: boolean): void {
    const { at } = shell.router.route.peek()
    if (isOfPeople && readings.people.peek() !== undefined) read.people()
    if (isOfPeople && readings.alarms.peek() !== undefined) read.alarms()
    if (isOfPeople && at === 'person') read.person()
    if (at === 'details' || at === 'add' || at === 'space' || (isOfPeople && at === 'channel')) read.details()
    if (at === 'health') read.health()
  }

  /** Reads everything once, then keeps reading what changes. Returns the way to stop. */
  function start(): () => void {
    Promise.all([read.account(), read.settings(), read.channels()])
      .then(() => speak(language.value))
      .then(() => {
        isReady.value = true
        if (!isShut()) read.all()
      })
    let before: AccountView['state'] | undefined
    const stopGuarding = effect(() => {
      const state = account.value?.state
      untracked(() => {
        if (isShut()) lockUp()
        else if (state === 'ready' && before !== undefined && before !== 'ready') moveIn()
        before = state ?? before
      })
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
        case 'people': // and what was found wrong with the directory
          readShown(true)
          return
        case 'channels':
          read.channels()
          readShown(false)
          return
        case 'devices': // and the doors of its vault, if anybody looks at them
          if (readings.devices.peek() !== undefined) read.devices()
          if (readings.doors.peek() !== undefined) read.doors()
          return
        case 'lock':
          read.account().then(read.lock)
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
        const nextId = channelOf(route)
        if (openId !== undefined && openId !== nextId) conversations.get(openId)?.close()
        openId = nextId
        hasMoved.value = moves++ > 0
      })
    })
    return () => {
      stopListening()
      stopClosing()
      stopGuarding()
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

  async function restore(key: RestoreKey, input: { readonly deviceName: string }): Promise<void> {
    await face.restore(key, input)
    await read.account()
    face.askPersistence().catch(report)
  }

  let touchedMs = Number.NEGATIVE_INFINITY
  /** Somebody uses this face (K-10). Said now and then, not at every key. */
  function used(): void {
    if (lock.peek()?.state !== 'unlocked' || nowMs() - touchedMs < TOUCH_EVERY_MS) return
    touchedMs = nowMs()
    face.touch()
  }

  const putReminderAway = () => saveSettings({ remindAfterMs: nowMs() + REMIND_AGAIN_MS })

  async function acceptInvitation(link: string): Promise<void> {
    const { channelId } = await face.acceptInvitation(link)
    invitationLink.value = undefined
    await read.channels()
    shell.router.go({ at: 'channel', channelId }, { replace: true })
  }

  function fold(spaceId: string, isFolded: boolean): void {
    if (folded.value.has(spaceId) === isFolded) return
    const next = new Set(folded.value)
    if (isFolded) next.add(spaceId)
    else next.delete(spaceId)
    folded.value = next
    rememberFolded(next)
  }

  async function saveSettings(change: Partial<Settings>): Promise<void> {
    const next = { ...settings.value, ...change }
    settings.value = next // answers within the frame
    await face.saveSettings(next).catch(report)
  }

  return {
    ...readings,
    face,
    shell,
    orderedChannels,
    reminding,
    connection,
    isReady,
    now,
    invitationLink,
    deviceLink,
    sharedText,
    announcement,
    announce,
    isListHeld,
    showsPutAway,
    folded,
    fold,
    strings,
    language,
    times,
    unread,
    nowMs,
    conversation,
    start,
    saveSettings,
    makeIdentity,
    restore,
    used,
    putReminderAway,
    acceptInvitation,
    hasMoved,
    acceptsAtOnce,
    startsAnew,
    say: (error: unknown) => sayError(strings.value, error),
  }
}
