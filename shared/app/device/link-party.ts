import type { Dice } from '#core/crypto/random.ts'
import type { LinkClosed } from '#core/link/closed.ts'
import { type Holder, type HolderEvent, holderAwaits, holderPut, stepHolder } from '#core/link/holder.ts'
import { type Newcomer, newcomerAwaits, newcomerPut, stepNewcomer } from '#core/link/newcomer.ts'
import type { Put } from '#core/link/slots.ts'
import type { Address } from '#core/wire/ids.ts'
import type { Linking } from '../face.ts'
import { type NewKeys, signWith } from './take-grant.ts'

/** This device's side of a meeting (K-06), in memory alone: what is cut off is over, and a new code is another meeting. */
export type Party = { readonly address: Address; readonly put: number } & (
  | {
      readonly side: 'new'
      readonly state: Newcomer
      readonly shown: { readonly link: string; readonly code: string }
      readonly keys: NewKeys
    }
  | { readonly side: 'holder'; readonly state: Holder }
)
/** What may happen to either side; the new device's own keys are added where they are asked for. */
export type PartyEvent = HolderEvent

export async function stepParty(party: Party, event: PartyEvent, dice: Dice): Promise<Party> {
  if (party.side === 'holder') return { ...party, state: await stepHolder(party.state, event, dice) }
  if (event.type === 'authorized') return party
  const { keys } = party
  const own = event.type === 'confirmed' ? { ...event, device: keys.device, sign: signWith(keys) } : event
  return { ...party, state: await stepNewcomer(party.state, own, dice) }
}

/** What is still to be left at the relay for this state. */
export function putOf(party: Party): Put | undefined {
  const put = party.side === 'new' ? newcomerPut(party.state) : holderPut(party.state)
  return put === undefined || put.slot <= party.put ? undefined : put
}

export function awaitsOf(party: Party): Put['slot'] | undefined {
  return party.side === 'new' ? newcomerAwaits(party.state) : holderAwaits(party.state)
}

export function viewOf(party: Party): Linking {
  const { state } = party
  if (state.at === 'closed') return { state: 'failed', why: whyOf(state) }
  return party.side === 'new' ? newcomerView(party) : holderView(party.state)
}

function newcomerView({ state, shown, put }: Party & { readonly side: 'new' }): Linking {
  switch (state.at) {
    case 'offered':
      return put < 0 ? { state: 'connecting' } : { state: 'showing', ...shown, expiresAtMs: state.untilMs }
    case 'comparing':
    case 'asked': {
      const { digits } = state.session
      return { state: 'comparing', side: 'new', digits, peer: '', confirmed: state.at === 'asked' }
    }
    case 'granted':
      return { state: 'finishing' }
    default:
      return { state: 'connecting' }
  }
}

function holderView(state: Holder): Linking {
  switch (state.at) {
    case 'comparing': {
      const { session, device, isConfirmed } = state
      return {
        state: 'comparing',
        side: 'holder',
        digits: session.digits,
        peer: device?.name ?? '',
        confirmed: isConfirmed,
      }
    }
    case 'authorizing':
    case 'granted':
      return { state: 'finishing' }
    default:
      return { state: 'connecting' }
  }
}

function whyOf({ why, cause }: LinkClosed): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (why !== 'refused') return `link/${why}`
  return code.startsWith('link/') ? code : 'link/refused'
}
