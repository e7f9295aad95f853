import type { NameKeys } from '#core/message/name-keys.ts'
import type { AccountId, Address } from '#core/wire/ids.ts'
import type { ContactRecord } from './records.ts'

/** Who it is, as they have shown themselves. */
export type Asker = Pick<ContactRecord, 'account' | 'name' | 'manifest' | 'sequence'>

/**
 * Somebody who is to come into a channel of this device's, by an invitation that names it (C-12) or because they ask for
 * the channel by its name (C-09). Keyed by the invitation, or by channel and request.
 */
export type JoinRecord = {
  readonly channelId: string
  readonly by: { readonly invitation: string } | { readonly ask: Uint8Array }
  readonly person: Asker
  readonly note: string
  readonly atMs: number
  readonly approved?: true // a person of this account said yes
  readonly unsettled?: true // the relay is still to forget the request
  readonly tryAtMs?: number // they had left no key packages: looked for again then
} & JoinState

/** asked: a person is to say; due: key packages are to be taken; wanted: in what the next commit brings. */
export type JoinState =
  | { readonly state: 'asked' | 'due' | 'wanted' | 'in' | 'declined' }
  | { readonly state: 'failed'; readonly why: JoinProblem; readonly told?: true }

export type JoinProblem =
  | 'join/gone' // this account is not in the channel any more
  | 'join/role' // and may not add
  | 'join/blocked'
  | 'join/full' // no more devices fit in (GRP8)
  | 'join/not-added' // members would not have it, or somebody took them out again
  | 'join/unreachable' // they have left no key packages for a fortnight

/** A channel that this account has asked to be let into, by its name (C-09). */
export type AskRecord = {
  readonly name: string
  readonly address: Address
  readonly id: Uint8Array
  readonly note: string
  readonly atMs: number
  readonly request: Uint8Array // as it is sealed: the same bytes each time that it is sent
  readonly sent?: true
  readonly channelId?: string // it came
}

/** By what name a channel can be found, as this device has it (C-09). */
export type NamedRecord = {
  readonly name: string
  /** taken: somebody else was faster, and the group goes on without. */
  readonly state: 'registering' | 'registered' | 'taken'
  readonly keys?: NameKeys // of who may let people in
  readonly proven?: true // the relay has taken the token
  readonly swapped?: true // it gives out another key than this one: what is asked may be read by others
  readonly given?: readonly AccountId[] // who has the keys too, as far as this device was told
  readonly giveAtMs?: number // when this device tells who does not
}
