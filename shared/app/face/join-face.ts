/** Coming into a channel: by an invitation that names it, or by asking for it by its name (C-09, C-12). */
export interface JoinFace {
  /** What a link is an invitation to. From then on nobody else can use it. @throws InputError 'invitation/…' */
  lookAtInvitation(link: string): Promise<InvitationPreview>
  /** Who asks to be let into a channel, and whose coming in failed, from the store alone. */
  joinRequests(channelId: string): Promise<readonly JoinRequestView[]>
  /** @throws InputError 'join/unknown' for one that is not waiting any more */
  approveJoin(id: string): Promise<void>
  declineJoin(id: string): Promise<void>
  /** Looks at the relay who asks, now (C-09). */
  lookForJoins(channelId: string): Promise<void>
  /** Whether there is a channel of this name. @throws InputError 'name/form' */
  findChannel(name: string): Promise<boolean>
  /** @throws InputError 'name/form', 'name/unknown', 'join/note', 'join/asked', 'join/member' */
  askToJoin(name: string, note: string): Promise<void>
  /** What this account has asked for, the newest first. */
  asked(): Promise<readonly AskedView[]>
  /** Here alone: who reads requests there may have read it. */
  withdrawAsk(id: string): Promise<void>
  /** The person has read why somebody did not come in. */
  dismissJoin(id: string): Promise<void>
}

export type InvitationPreview = {
  readonly name: string // as the inviter calls themself, or as this account knows them
  readonly known: boolean
  readonly channel?: { readonly title: string; readonly ask: boolean } // a member is asked first
}

export type JoinRequestView = {
  readonly id: string
  readonly channelId: string
  readonly by: 'invitation' | 'name'
  readonly personId: string
  readonly name: string // as they call themselves: nobody vouches for it
  readonly fingerprint: string
  readonly known: boolean // there is a page of this person
  readonly verified: boolean
  readonly putOut?: true // they were in the channel, and taken out
  readonly note: string
  readonly atMs: number
  readonly state: 'asked' | 'coming' | 'failed' // coming: it was approved, and waits for a commit or for key packages
  readonly why?: string // code
}

export type AskedView = {
  readonly id: string
  readonly name: string
  readonly note: string
  readonly atMs: number
  readonly state: 'sending' | 'waiting' | 'in' | 'expired' // expired: nobody has answered in a fortnight
  readonly channelId?: string
}

/** By what name a channel can be found (C-09). */
export type ChannelNamed = {
  readonly name: string
  readonly state: 'registering' | 'registered' | 'taken' // taken: somebody else was faster, it can't be found by it
  readonly swapped?: true // the relay gives out another key: it may read what is asked
}

/** An invitation into a channel, and what came of it there. */
export type InvitedInto = {
  readonly channelId: string
  readonly title: string // '' when the channel is not here any more
  readonly ask: boolean
  readonly state: 'open' | 'asked' | 'coming' | 'in' | 'declined' | 'failed'
  readonly why?: string // code
}
