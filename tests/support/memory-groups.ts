import type {
  ChannelDetails,
  ChannelHealth,
  ChannelView,
  EarlierHistory,
  GroupFace,
  HealthFace,
  HistoryOffer,
  Line,
  MemberView,
  Muted,
  ProfileChange,
  Role,
} from '#app/face.ts'
import { InputError } from '#core/errors.ts'
import { MemoryAccount } from './memory-account.ts'

export type MemoryChannel = {
  readonly id: string
  readonly kind: ChannelView['kind']
  title: string
  state: ChannelView['state']
  lines: Line[]
  readUpTo: number
  draft: string
  more: Pick<ChannelView, 'forked' | 'muted' | 'asking' | 'archived' | 'blocked' | 'request' | 'left' | 'space'>
  details: Omit<ChannelDetails, 'id' | 'kind' | 'state' | 'title' | 'request'>
}

const ALONE: MemoryChannel['details'] = {
  topic: '',
  timerMs: 0,
  members: [],
  myRole: 'owner',
  can: { add: true, profile: true, roles: true, leave: true },
  waiting: [],
  missing: [],
  keys: 'hybrid',
}

export const myself: MemberView = {
  id: 'me',
  name: 'Me',
  role: 'owner',
  mine: true,
  devices: 1,
  known: false,
  verified: false,
  canRemove: false,
}

/** The half of a face in memory that is about channels of many, and about what is not as it should be. */
export class MemoryGroups extends MemoryAccount implements GroupFace, HealthFace {
  readonly channelsById = new Map<string, MemoryChannel>()
  healthViews: readonly ChannelHealth[] = []
  readonly offers = new Map<string, readonly HistoryOffer[]>()
  #made = 0

  addChannel(id: string, title: string, lines: readonly Line[] = [], more: Partial<MemoryChannel> = {}): MemoryChannel {
    const channel: MemoryChannel = {
      id,
      title,
      kind: 'direct',
      state: 'open',
      readUpTo: lines.at(-1)?.order ?? 0,
      draft: '',
      more: {},
      ...more,
      details: { ...ALONE, ...more.details },
      lines: [...lines],
    }
    this.channelsById.set(id, channel)
    return channel
  }

  async createGroup({ title, members }: { readonly title: string; readonly members: readonly string[] }) {
    this.act(`createGroup ${title}`)
    const people = members.map((id) => this.#member(id))
    const id = `group${++this.#made}`
    this.addChannel(id, title, [], { kind: 'group', details: { ...ALONE, members: [myself, ...people] } })
    this.tell({ what: 'channels' })
    return { channelId: id, missing: [] }
  }

  async channelDetails(channelId: string): Promise<ChannelDetails> {
    const { id, kind, state, title, details, more } = this.channel(channelId)
    return { id, kind, state, title, ...details, ...(more.request === undefined ? {} : { request: more.request }) }
  }

  async addMembers(channelId: string, ids: readonly string[]) {
    this.act(`addMembers ${ids.join(' ')}`)
    const { members } = this.channel(channelId).details
    this.moveDetails(channelId, { members: [...members, ...ids.map((id) => this.#member(id))] })
    return { missing: [] }
  }

  async removeMember(channelId: string, id: string): Promise<void> {
    this.act(`removeMember ${id}`)
    const { members } = this.channel(channelId).details
    this.moveDetails(channelId, { members: members.filter((member) => member.id !== id) })
  }

  async setRole(channelId: string, id: string, role: Role): Promise<void> {
    this.act(`setRole ${id} ${role}`)
    const { members } = this.channel(channelId).details
    this.moveDetails(channelId, { members: members.map((member) => (member.id === id ? { ...member, role } : member)) })
  }

  async setProfile(channelId: string, { title, topic }: ProfileChange): Promise<void> {
    this.act('setProfile')
    if (title !== undefined) this.channel(channelId).title = title
    this.moveDetails(channelId, topic === undefined ? {} : { topic })
  }

  async leaveChannel(channelId: string): Promise<void> {
    this.act('leaveChannel')
    this.moveChannel(channelId, { left: 'left' })
  }

  async healChannel(channelId: string): Promise<void> {
    this.act('healChannel')
    this.moveDetails(channelId, { waiting: ['heal'] })
  }

  async acceptRequest(channelId: string): Promise<void> {
    this.act('acceptRequest')
    const { request: _, ...more } = this.channel(channelId).more
    this.channel(channelId).more = more
    this.tell({ what: 'channels' })
  }

  async declineRequest(channelId: string): Promise<void> {
    this.act('declineRequest')
    this.channelsById.delete(channelId)
    this.tell({ what: 'channels' })
  }

  async keyHealth(): Promise<readonly ChannelHealth[]> {
    return this.healthViews
  }

  async repairChannel(channelId: string): Promise<void> {
    this.act('repairChannel')
    const { forked: _, ...more } = this.channel(channelId).more
    this.channel(channelId).more = more
    this.channel(channelId).state = 'returning'
    this.tell({ what: 'channels' })
  }

  async setMuted(channelId: string, muted: Muted | false): Promise<void> {
    this.act('setMuted')
    const { muted: _, ...more } = this.channel(channelId).more
    this.channel(channelId).more = muted === false ? more : { ...more, muted }
    this.tell({ what: 'channels' })
  }

  async setArchived(channelId: string, archived: boolean): Promise<void> {
    this.act(`setArchived ${archived}`)
    const { archived: _, ...more } = this.channel(channelId).more
    this.channel(channelId).more = archived ? { ...more, archived } : more
    this.tell({ what: 'channels' })
  }

  async setBlocked(personId: string, blocked: boolean): Promise<void> {
    this.act(`setBlocked ${personId} ${blocked}`)
    this.personViews = this.personViews.map((person) => {
      if (person.id !== personId) return person
      const { blocked: _, ...rest } = person
      return blocked ? { ...rest, blocked } : rest
    })
    this.tell({ what: 'people' })
  }

  async earlierHistory(channelId: string): Promise<EarlierHistory> {
    const all = this.channel(channelId).lines.filter(({ kind }) => kind === 'text').length
    return { week: Math.min(all, 3), month: all, all }
  }

  async shareHistory(_channelId: string, personId: string, fromMs: number): Promise<void> {
    this.act(`shareHistory ${personId} ${fromMs}`)
  }

  async historyOffers(channelId: string): Promise<readonly HistoryOffer[]> {
    return this.offers.get(channelId) ?? []
  }

  async answerHistory(channelId: string, offerId: string, takes: boolean): Promise<void> {
    this.act(`answerHistory ${offerId} ${takes}`)
    const left = (this.offers.get(channelId) ?? []).filter(({ id }) => id !== offerId)
    this.offers.set(channelId, left)
    this.tell({ what: 'work' })
  }

  moveChannel(channelId: string, more: MemoryChannel['more']): void {
    this.channel(channelId).more = { ...this.channel(channelId).more, ...more }
    this.tell({ what: 'channels' })
  }

  moveDetails(channelId: string, more: Partial<MemoryChannel['details']>): void {
    this.channel(channelId).details = { ...this.channel(channelId).details, ...more }
    this.tell({ what: 'channels' })
  }

  protected channel(id: string): MemoryChannel {
    const channel = this.channelsById.get(id)
    if (channel === undefined) throw new InputError('channel/unknown')
    return channel
  }

  #member(id: string): MemberView {
    const person = this.personViews.find((one) => one.id === id)
    if (person === undefined) throw new InputError('group/unknown')
    const { name, verified } = person
    return { id, name, role: 'member', mine: false, devices: 1, known: true, verified, canRemove: true }
  }
}
