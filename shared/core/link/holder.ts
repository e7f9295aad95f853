import { wipe } from '../bytes/wipe.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError } from '../errors.ts'
import { type NewDevice, openAsk } from './ask.ts'
import { closedBy, LINK_OPEN_MS, type LinkClosed, type Received, type Tick } from './closed.ts'
import { isKeyOf, type LinkCode } from './code.ts'
import { type Grant, sealGrant } from './grant.ts'
import { commitTo, type Session, sendSecret, sessionOf, wipeSession } from './session.ts'
import { decodeKey, decodeNonce, encodeNonce, encodeOffer, NONCE_BYTES, type Offer, type Put, SLOTS } from './slots.ts'

/** The side of the device that holds the root (K-06, docs/spec/link.md): reads the code, and authorizes. */
export type Holder =
  | { readonly at: 'waiting'; readonly untilMs: number; readonly code: LinkCode; readonly nonce: Uint8Array }
  | {
      readonly at: 'committed'
      readonly untilMs: number
      readonly publicKey: Uint8Array
      readonly offer: Offer
      readonly secret: Uint8Array
      readonly nonce: Uint8Array
    }
  | {
      readonly at: 'comparing'
      readonly untilMs: number
      readonly session: Session
      readonly nonce: Uint8Array
      readonly isConfirmed: boolean // by the person, here
      readonly device?: NewDevice // who was confirmed there asks
    }
  | { readonly at: 'authorizing'; readonly session: Session; readonly device: NewDevice }
  | { readonly at: 'granted'; readonly device: NewDevice; readonly grant: Uint8Array }
  | LinkClosed

export type HolderEvent =
  | Tick
  | Received
  | { readonly type: 'confirmed' }
  | { readonly type: 'authorized'; readonly grant: Grant }
  | { readonly type: 'cancelled' }

export function joinLink(code: LinkCode, nowMs: number, dice: Dice): Holder {
  return { at: 'waiting', untilMs: nowMs + LINK_OPEN_MS, code, nonce: dice(NONCE_BYTES) }
}

/** What stands at the relay for this state: the same bytes whenever they are asked for. */
export function holderPut(state: Holder): Put | undefined {
  switch (state.at) {
    case 'committed':
      return { slot: SLOTS.offer, bytes: encodeOffer(state.offer) }
    case 'comparing':
      return { slot: SLOTS.nonceH, bytes: encodeNonce(SLOTS.nonceH, state.nonce) }
    case 'granted':
      return { slot: SLOTS.grant, bytes: state.grant }
    default:
      return undefined
  }
}

/** The slot to look at next, beside the one that says 'cancelled'. */
export function holderAwaits(state: Holder): Put['slot'] | undefined {
  switch (state.at) {
    case 'waiting':
      return SLOTS.key
    case 'committed':
      return SLOTS.nonceN
    case 'comparing':
      return state.device === undefined ? SLOTS.ask : undefined
    default:
      return undefined
  }
}

/**
 * Never throws for what the relay gave. The state that was passed in is spent: its secrets are wiped as they are used. Once both
 * screens were confirmed, 'authorizing' goes on to 'granted' alone: the manifest may be out.
 */
export async function stepHolder(state: Holder, event: HolderEvent, dice: Dice): Promise<Holder> {
  if (state.at === 'granted' || state.at === 'closed') return state
  if (state.at === 'authorizing') {
    if (event.type !== 'authorized') return state
    const grant = await sealGrant(state.session, event.grant, dice)
    wipeSession(state.session)
    return { at: 'granted', device: state.device, grant }
  }
  const closed = closedBy(event, state.untilMs)
  if (closed !== undefined) return close(state, closed)
  switch (event.type) {
    case 'confirmed':
      return state.at === 'comparing' ? authorizeOnceBoth({ ...state, isConfirmed: true }) : state
    case 'received':
      if (event.slot !== holderAwaits(state)) return state
      try {
        return await receive(state, event.bytes, dice)
      } catch (error) {
        return close(state, { at: 'closed', why: 'refused', cause: error })
      }
    default:
      return state
  }
}

type Open = Exclude<Holder, { readonly at: 'authorizing' | 'granted' | 'closed' }>

async function receive(state: Open, bytes: Uint8Array, dice: Dice): Promise<Holder> {
  switch (state.at) {
    case 'waiting': {
      const { untilMs, code, nonce } = state
      const publicKey = decodeKey(bytes)
      if (!isKeyOf(code, publicKey)) throw new CryptoError('link/key') // LNK3
      const { enc, secret } = await sendSecret(publicKey, dice)
      const offer = { enc, commitment: commitTo(nonce, publicKey, enc) }
      return { at: 'committed', untilMs, publicKey, offer, secret, nonce }
    }
    case 'committed': {
      const { untilMs, publicKey, offer, secret, nonce } = state
      const nonceN = decodeNonce(SLOTS.nonceN, bytes)
      const session = sessionOf({ publicKey, ...offer, nonceN, nonceH: nonce }, secret)
      wipe(secret)
      return { at: 'comparing', untilMs, session, nonce, isConfirmed: false }
    }
    case 'comparing':
      return authorizeOnceBoth({ ...state, device: await openAsk(state.session, bytes) })
  }
}

/** LNK6: nothing is signed before the person confirmed on both screens. */
function authorizeOnceBoth(state: Holder & { readonly at: 'comparing' }): Holder {
  const { isConfirmed, session, device } = state
  return isConfirmed && device !== undefined ? { at: 'authorizing', session, device } : state
}

function close(state: Open, closed: LinkClosed): LinkClosed {
  if (state.at === 'committed') wipe(state.secret)
  else if (state.at === 'comparing') wipeSession(state.session)
  return closed
}
