import type { SpaceFace } from '#app/face.ts'
import { InputError } from '#core/errors.ts'
import { MemoryGroups } from './memory-groups.ts'

/** The part of a face in memory that is about spaces. */
export class MemorySpaces extends MemoryGroups implements SpaceFace {
  async createSpace(input: { readonly title: string; readonly members: readonly string[] }) {
    const made = await this.createGroup(input)
    this.moveChannel(made.channelId, { space: { id: made.channelId } })
    this.moveDetails(made.channelId, { space: { id: made.channelId, title: input.title, mayChange: true } })
    return made
  }

  async addToSpace(spaceId: string, { title }: { readonly title: string }) {
    this.act(`addToSpace ${title}`)
    const home = this.channel(spaceId)
    if (home.more.space?.id !== spaceId) throw new InputError('channel/unknown')
    const id = `${spaceId}-${title}`
    this.addToMemorySpace(spaceId, id, title)
    return { channelId: id }
  }

  async removeFromSpace(channelId: string): Promise<void> {
    this.act('removeFromSpace')
    const channel = this.channel(channelId)
    const { space: _, ...more } = channel.more
    channel.more = more
    const { space: __, ...details } = channel.details
    channel.details = details
    this.tell({ what: 'channels' })
  }

  /** A channel that is there already. */
  addToMemorySpace(spaceId: string, id: string, title: string, lines: Parameters<MemoryGroups['addChannel']>[2] = []) {
    const { details, title: ofHome } = this.channel(spaceId)
    const space = { id: spaceId, title: ofHome, mayChange: details.can.profile }
    const can = { ...details.can, add: false, roles: false, leave: false }
    const members = details.members.map((member) => ({ ...member, canRemove: false }))
    this.addChannel(id, title, lines, { kind: 'group', details: { ...details, can, members, space } })
    this.moveChannel(id, { space: { id: spaceId } })
  }
}
