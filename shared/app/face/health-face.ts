import type { ChannelView } from '../face.ts'

/** What is not as it should be, and who may reach this person (C-06, C-08, M-09, M-11). */
export interface HealthFace {
  /** Each channel's keys and what can't be recovered there, from the store alone; what needs a person first (M-09). */
  keyHealth(): Promise<readonly ChannelHealth[]>
  /** A channel that is paused as forked goes on with what the relay shows now (C-06). @throws InputError 'channel/not-forked' */
  repairChannel(channelId: string): Promise<void>
  /** No notification, and not in the count of unread. Without a time it has no end. */
  setMuted(channelId: string, muted: Muted | false): Promise<void>
  /** Out of the list, until something new is said there. */
  setArchived(channelId: string, archived: boolean): Promise<void>
  /** Their lines are kept and not shown, and what they ask for or bring is passed over. @throws InputError 'person/unknown' */
  setBlocked(personId: string, blocked: boolean): Promise<void>
}

export type Muted = { readonly untilMs?: number }
export type ChannelHealth = {
  readonly id: string
  readonly title: string
  readonly kind: 'direct' | 'group'
  readonly state: ChannelView['state']
  readonly problems: readonly ChannelProblem[]
  readonly healedAtMs?: number // when this device last brought new keys there
  readonly nextHealMs?: number // when it will do so by itself
  readonly act?: 'repair' | 'heal' // what a person can do about it
}
export type ChannelProblem = {
  readonly what:
    | 'gap' // others were asked for what is missing, and have not all answered
    | 'unreadable' // messages that did not open and were not said again
    | 'forked' // the relay tells members different things: paused until it is repaired
    | 'returning' // this device is not in and comes back by itself
    | 'refused' // the relay, or the channel, does not let this device in, or messages wait that it did not take
  readonly count: number
  readonly cause: string // code
  readonly sinceMs: number
}
