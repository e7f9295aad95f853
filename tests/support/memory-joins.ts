import type { AskedView, InvitationPreview, JoinFace, JoinRequestView } from '#app/face.ts'
import { InputError } from '#core/errors.ts'
import { MemorySpaces } from './memory-spaces.ts'

/** The part of a face in memory that is about coming into a channel. */
export class MemoryJoins extends MemorySpaces implements JoinFace {
  joinViews: readonly JoinRequestView[] = []
  askedViews: readonly AskedView[] = []
  /** Of channels that can be found. */
  readonly names = new Set<string>()
  /** What a link turns out to be, where it is more than an invitation to talk. */
  readonly previews = new Map<string, InvitationPreview>()

  async lookAtInvitation(link: string): Promise<InvitationPreview> {
    this.act(`lookAtInvitation ${link}`)
    return this.previews.get(link) ?? { name: 'The inviter', known: false }
  }

  async joinRequests(channelId: string): Promise<readonly JoinRequestView[]> {
    return this.joinViews.filter((one) => one.channelId === channelId)
  }

  async approveJoin(id: string): Promise<void> {
    this.act(`approveJoin ${id}`)
    this.#move(id, (view) => [{ ...view, state: 'coming' }])
  }

  async declineJoin(id: string): Promise<void> {
    this.act(`declineJoin ${id}`)
    this.#move(id, () => [])
  }

  async dismissJoin(id: string): Promise<void> {
    this.act(`dismissJoin ${id}`)
    this.#move(id, () => [])
  }

  async lookForJoins(channelId: string): Promise<void> {
    this.act(`lookForJoins ${channelId}`)
  }

  async findChannel(name: string): Promise<boolean> {
    this.act(`findChannel ${name}`)
    return this.names.has(name)
  }

  async askToJoin(name: string, note: string): Promise<void> {
    this.act(`askToJoin ${name}`)
    if (!this.names.has(name)) throw new InputError('name/unknown')
    const asked: AskedView = { id: name, name, note, atMs: this.nowMs, state: 'waiting' }
    this.askedViews = [asked, ...this.askedViews]
    this.tell({ what: 'channels' })
  }

  async asked(): Promise<readonly AskedView[]> {
    return this.askedViews
  }

  async withdrawAsk(id: string): Promise<void> {
    this.act(`withdrawAsk ${id}`)
    this.askedViews = this.askedViews.filter((one) => one.id !== id)
    this.tell({ what: 'channels' })
  }

  #move(id: string, change: (view: JoinRequestView) => readonly JoinRequestView[]): void {
    if (!this.joinViews.some((one) => one.id === id)) throw new InputError('join/unknown')
    this.joinViews = this.joinViews.flatMap((one) => (one.id === id ? change(one) : [one]))
    this.tell({ what: 'channels' })
  }
}
