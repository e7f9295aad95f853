import type { InvitationPreview, JoinFace, JoinRequestView } from '#app/face.ts'
import { InputError } from '#core/errors.ts'
import { MemorySpaces } from './memory-spaces.ts'

/** The part of a face in memory that is about coming into a channel. */
export class MemoryJoins extends MemorySpaces implements JoinFace {
  joinViews: readonly JoinRequestView[] = []
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

  #move(id: string, change: (view: JoinRequestView) => readonly JoinRequestView[]): void {
    if (!this.joinViews.some((one) => one.id === id)) throw new InputError('join/unknown')
    this.joinViews = this.joinViews.flatMap((one) => (one.id === id ? change(one) : [one]))
    this.tell({ what: 'channels' })
  }
}
