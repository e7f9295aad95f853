import type { ChannelView, Connection, Face, InvitationView, Line, LinePage, LineState, Settings } from '#app/face.ts'
import { InputError } from '#core/errors.ts'
import { FINGERPRINT } from './memory-account.ts'
import type { MemoryChannel } from './memory-groups.ts'
import { MemoryJoins } from './memory-joins.ts'

type Text = Line & { readonly kind: 'text' }
const ME = { id: 'me', name: 'Me', mine: true }

/** A Face in memory: no engine, no network, no delays. Tests and the gallery move it on by hand. */
export class MemoryFace extends MemoryJoins implements Face {
  invitationViews: InvitationView[] = []
  connectionNow: Connection = { state: 'online' }
  settingsNow: Settings = {
    language: 'auto',
    theme: 'auto',
    density: 'comfortable',
    enterSends: true,
    cover: 'light',
  }
  words: readonly string[] = Array.from({ length: 24 }, (_, index) => `word${index + 1}`)
  persistence: 'granted' | 'refused' | 'unsupported' = 'granted'
  /** What a link says when it is accepted. */
  readonly acceptErrors = new Map<string, string>()
  #count = 0

  arrive(channelId: string, text: string, name?: string): void {
    const channel = this.channel(channelId)
    channel.lines.push({
      id: `in${++this.#count}`,
      order: this.#nextOrder(channel),
      atMs: this.nowMs,
      author: { id: name ?? channel.title, name: name ?? channel.title, mine: false },
      kind: 'text',
      text,
    } as Text)
    this.#changed(channelId)
  }

  /** All one's own messages that are not further come to `state`. */
  progress(channelId: string, state: LineState, failure?: string): void {
    const channel = this.channel(channelId)
    const from = { waiting: [], sent: ['waiting'], delivered: ['waiting', 'sent'], failed: ['waiting'] }[state]
    channel.lines = channel.lines.map((line) =>
      line.kind === 'text' && line.author.mine && (from as string[]).includes(line.state)
        ? { ...line, state, ...(failure === undefined ? {} : { failure }) }
        : line,
    )
    this.#changed(channelId)
  }

  connect(connection: Connection): void {
    this.connectionNow = connection
    this.tell({ what: 'connection', connection })
  }

  async channels(): Promise<readonly ChannelView[]> {
    return [...this.channelsById.values()].map((channel) => {
      const last = channel.lines.findLast((line) => line.kind === 'text')
      return {
        id: channel.id,
        kind: channel.kind,
        title: channel.title,
        state: channel.state,
        lastText: last?.kind === 'text' ? last.text : '',
        lastAtMs: last?.atMs ?? this.nowMs,
        lastState: last?.kind !== 'text' ? 'none' : last.author.mine ? last.state : 'theirs',
        unread: channel.lines.filter((line) => !line.author.mine && line.order > channel.readUpTo).length,
        draft: channel.draft,
        ...(channel.details.avatar === undefined ? {} : { avatar: channel.details.avatar }),
        ...channel.more,
      }
    })
  }

  async lines(channelId: string, page: { readonly before?: number; readonly limit: number }): Promise<LinePage> {
    const channel = this.channel(channelId)
    const before = channel.lines.filter((line) => line.order < (page.before ?? Number.POSITIVE_INFINITY))
    return {
      lines: before.slice(-page.limit),
      hasOlder: before.length > page.limit,
      readUpTo: channel.readUpTo,
    }
  }

  async invitations(): Promise<readonly InvitationView[]> {
    return [...this.invitationViews]
  }

  connection(): Connection {
    return this.connectionNow
  }

  async createIdentity(input: { readonly name: string; readonly deviceName: string }): Promise<void> {
    this.act('createIdentity')
    this.accountView = {
      state: 'ready',
      ...input,
      backedUp: false,
      fingerprint: FINGERPRINT,
      holdsRoot: true,
      persistent: true,
    }
    this.tell({ what: 'account' })
  }

  async revealPhrase(): Promise<readonly string[]> {
    this.act('revealPhrase')
    return this.words
  }

  async confirmPhrase(answers: readonly { readonly position: number; readonly word: string }[]): Promise<void> {
    this.act('confirmPhrase')
    const wrong = answers.find(({ position, word }) => this.words[position - 1] !== word)
    if (wrong !== undefined) throw new InputError('phrase/word', { position: wrong.position })
    if (this.accountView.state === 'ready') this.accountView = { ...this.accountView, backedUp: true }
    this.tell({ what: 'account' })
  }

  async createInvitation(into?: { readonly channelId: string; readonly ask: boolean }): Promise<InvitationView> {
    this.act(into === undefined ? 'createInvitation' : `createInvitation ${into.channelId} ${into.ask}`)
    const id = `invitation${++this.#count}`
    const made: InvitationView = {
      id,
      link: `https://stave.example/i#${'kX7v2mQ9bT4sWc8ZpLr3NfHy6JdGa1Ue'.repeat(3)}${id}`,
      expiresAtMs: this.nowMs + 7 * 24 * 60 * 60 * 1000,
      state: 'open',
      ...(into === undefined ? {} : { into: { ...into, title: this.channel(into.channelId).title, state: 'open' } }),
    }
    this.invitationViews = [made, ...this.invitationViews]
    this.tell({ what: 'invitations' })
    return made
  }

  async revokeInvitation(id: string): Promise<void> {
    this.act('revokeInvitation')
    this.invitationViews = this.invitationViews.map((each) => (each.id === id ? { ...each, state: 'revoked' } : each))
    this.tell({ what: 'invitations' })
  }

  async acceptInvitation(link: string): Promise<{ readonly channelId: string }> {
    this.act(`acceptInvitation ${link}`)
    const code = this.acceptErrors.get(link) ?? (link.includes('#') ? undefined : 'invitation/not-a-link')
    if (code !== undefined) throw new InputError(code)
    const { id } = this.addChannel(`c${++this.#count}`, 'The inviter', [], { state: 'joining' })
    this.tell({ what: 'channels' })
    return { channelId: id }
  }

  async sendText(channelId: string, text: string): Promise<void> {
    this.act('sendText')
    const channel = this.channel(channelId)
    channel.lines.push({
      id: `out${++this.#count}`,
      order: this.#nextOrder(channel),
      atMs: this.nowMs,
      author: ME,
      kind: 'text',
      text,
      state: 'waiting',
    })
    this.#changed(channelId)
  }

  async retry(channelId: string, messageId: string): Promise<void> {
    this.act('retry')
    const channel = this.channel(channelId)
    channel.lines = channel.lines.map((line) =>
      line.id === messageId && line.kind === 'text' ? { ...line, state: 'waiting' } : line,
    )
    this.#changed(channelId)
  }

  async discard(channelId: string, messageId: string): Promise<void> {
    this.act('discard')
    const channel = this.channel(channelId)
    channel.lines = channel.lines.filter((line) => line.id !== messageId)
    this.#changed(channelId)
  }

  async markRead(channelId: string, upToOrder: number): Promise<void> {
    this.act(`markRead ${upToOrder}`)
    this.channel(channelId).readUpTo = upToOrder
    this.tell({ what: 'channels' })
  }

  async draft(channelId: string): Promise<string> {
    return this.channel(channelId).draft
  }

  async saveDraft(channelId: string, text: string): Promise<void> {
    this.act('saveDraft')
    this.channel(channelId).draft = text
    this.tell({ what: 'channels' })
  }

  async settings(): Promise<Settings> {
    return this.settingsNow
  }

  async saveSettings(settings: Settings): Promise<void> {
    this.act('saveSettings')
    this.settingsNow = settings
    this.tell({ what: 'settings' })
  }

  async askPersistence(): Promise<'granted' | 'refused' | 'unsupported'> {
    return this.persistence
  }

  #nextOrder(channel: MemoryChannel): number {
    return (channel.lines.at(-1)?.order ?? 0) + 1
  }

  #changed(channelId: string): void {
    this.tell({ what: 'lines', channelId })
    this.tell({ what: 'channels' })
  }
}
