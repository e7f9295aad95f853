import { wipe } from '../bytes/wipe.ts'
import { newXWingPair, type XWingPair } from '../crypto/hpke-xwing.ts'
import type { Dice } from '../crypto/random.ts'
import { type NewDevice, sealAsk } from './ask.ts'
import { closedBy, LINK_OPEN_MS, type LinkClosed, type Received, type Tick } from './closed.ts'
import { hashLinkKey } from './code.ts'
import { type CheckedGrant, checkGrant, openGrant } from './grant.ts'
import { receiveSecret, type Session, sessionOf, wipeSession } from './session.ts'
import { decodeNonce, decodeOffer, encodeKey, encodeNonce, NONCE_BYTES, type Offer, type Put, SLOTS } from './slots.ts'

/** The new device's side of linking (K-06, docs/spec/link.md): shows the code, and is given the account's keys. */
export type Newcomer =
  | { readonly at: 'offered'; readonly untilMs: number; readonly pair: XWingPair; readonly nonce: Uint8Array }
  | {
      readonly at: 'answered' // the holder has committed; our nonce is shown
      readonly untilMs: number
      readonly publicKey: Uint8Array
      readonly offer: Offer
      readonly secret: Uint8Array
      readonly nonce: Uint8Array
    }
  | { readonly at: 'comparing'; readonly untilMs: number; readonly session: Session }
  | {
      readonly at: 'asked' // the person said that the digits agree
      readonly untilMs: number
      readonly session: Session
      readonly device: NewDevice
      readonly ask: Uint8Array
    }
  | { readonly at: 'granted'; readonly checked: CheckedGrant }
  | LinkClosed

export type NewcomerEvent =
  | Tick
  | Received
  | {
      readonly type: 'confirmed'
      readonly device: NewDevice
      readonly sign: (data: Uint8Array) => Promise<Uint8Array> // with the device's new key
    }
  | { readonly type: 'cancelled' }

export async function offerLink(nowMs: number, dice: Dice): Promise<Newcomer & { readonly at: 'offered' }> {
  return { at: 'offered', untilMs: nowMs + LINK_OPEN_MS, pair: await newXWingPair(dice), nonce: dice(NONCE_BYTES) }
}

/** Of the code that is shown. */
export function keyHashOf({ pair }: Newcomer & { readonly at: 'offered' }): Uint8Array {
  return hashLinkKey(pair.publicKey)
}

/** What stands at the relay for this state: the same bytes whenever they are asked for. */
export function newcomerPut(state: Newcomer): Put | undefined {
  switch (state.at) {
    case 'offered':
      return { slot: SLOTS.key, bytes: encodeKey(state.pair.publicKey) }
    case 'answered':
      return { slot: SLOTS.nonceN, bytes: encodeNonce(SLOTS.nonceN, state.nonce) }
    case 'asked':
      return { slot: SLOTS.ask, bytes: state.ask }
    default:
      return undefined
  }
}

/** The slot to look at next, beside the one that says 'cancelled'. */
export function newcomerAwaits(state: Newcomer): Put['slot'] | undefined {
  switch (state.at) {
    case 'offered':
      return SLOTS.offer
    case 'answered':
      return SLOTS.nonceH
    case 'asked':
      return SLOTS.grant
    default:
      return undefined
  }
}

/** Never throws for what the relay gave. The state that was passed in is spent: its secrets are wiped as they are used. */
export async function stepNewcomer(state: Newcomer, event: NewcomerEvent, dice: Dice): Promise<Newcomer> {
  if (state.at === 'granted' || state.at === 'closed') return state
  const closed = closedBy(event, state.untilMs)
  if (closed !== undefined) return close(state, closed)
  switch (event.type) {
    case 'confirmed': {
      if (state.at !== 'comparing') return state
      const { untilMs, session } = state
      const ask = await sealAsk(session, event.device, event.sign, dice)
      return { at: 'asked', untilMs, session, device: event.device, ask }
    }
    case 'received':
      if (event.slot !== newcomerAwaits(state)) return state
      try {
        return await receive(state, event.bytes)
      } catch (error) {
        return close(state, { at: 'closed', why: 'refused', cause: error })
      }
    default:
      return state
  }
}

type Open = Exclude<Newcomer, { readonly at: 'granted' | 'closed' }>

async function receive(state: Open, bytes: Uint8Array): Promise<Newcomer> {
  switch (state.at) {
    case 'offered': {
      const { untilMs, pair, nonce } = state
      const offer = decodeOffer(bytes)
      const secret = await receiveSecret(pair.seed, offer.enc)
      wipe(pair.seed) // one key, one meeting
      return { at: 'answered', untilMs, publicKey: pair.publicKey, offer, secret, nonce }
    }
    case 'answered': {
      const { untilMs, publicKey, offer, secret, nonce } = state
      const nonceH = decodeNonce(SLOTS.nonceH, bytes)
      const session = sessionOf({ publicKey, ...offer, nonceN: nonce, nonceH }, secret)
      wipe(secret)
      return { at: 'comparing', untilMs, session }
    }
    case 'asked': {
      const checked = await checkGrant(await openGrant(state.session, bytes), state.device)
      wipeSession(state.session)
      return { at: 'granted', checked }
    }
    case 'comparing':
      return state
  }
}

function close(state: Open, closed: LinkClosed): LinkClosed {
  if (state.at === 'offered') wipe(state.pair.seed)
  else if (state.at === 'answered') wipe(state.secret)
  else wipeSession(state.session)
  return closed
}
