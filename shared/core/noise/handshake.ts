import { type Dice, systemDice } from '../crypto/random.ts'
import { type DhKeyPair, dh, dhKeyPairFrom } from '../crypto/x25519.ts'
import { WireError } from '../errors.ts'
import { DH_BYTES, decodeHandshakeMessage, encodeHandshakeMessage, HANDSHAKE_MESSAGE_BYTES } from './messages.ts'
import { decryptAndHash, encryptAndHash, initialState, type KeyedState, mixHash, mixKey, split } from './state.ts'
import { Transport } from './transport.ts'

/**
 * Noise_NK_25519_ChaChaPoly_SHA256 (Noise rev. 34): the initiator is anonymous and knows the responder's static key.
 *
 *   NK:  <- s   ...   -> e, es   <- e, ee
 *
 * NOI2: both payloads are empty. The first message could be replayed, so nothing may hang on it: the responder's own
 * ephemeral makes each channel that follows a new one (T-01).
 */
export type Handshake = { readonly symmetric: KeyedState; readonly ephemeral: DhKeyPair }

const EMPTY = new Uint8Array()

/** The realm's key as its private half imports; the caller wipes the bytes. */
export function staticKeyPair(privateBytes: Uint8Array): Promise<DhKeyPair> {
  return dhKeyPairFrom(privateBytes)
}

export async function initiate(prologue: Uint8Array, responderStatic: Uint8Array, dice: Dice = systemDice) {
  return unsafeInitiate(prologue, responderStatic, await dhKeyPairFrom(dice(DH_BYTES)), EMPTY)
}

/** @throws WireError, CryptoError 'noise/handshake' or 'x25519/low-order'; then nothing is answered */
export async function respond(prologue: Uint8Array, ours: DhKeyPair, message: Uint8Array, dice: Dice = systemDice) {
  onlyEmptyPayload(message)
  const ephemeral = await dhKeyPairFrom(dice(DH_BYTES))
  const { message: answer, transport } = await unsafeRespond(prologue, ours, message, ephemeral, EMPTY)
  return { message: answer, transport }
}

/** @throws WireError, CryptoError 'noise/handshake' (the responder is not who has the key) or 'x25519/low-order' */
export async function finish(handshake: Handshake, message: Uint8Array): Promise<Transport> {
  onlyEmptyPayload(message)
  return (await unsafeFinish(handshake, message)).transport
}

/** With a given ephemeral key and a payload: for published vectors. */
export async function unsafeInitiate(
  prologue: Uint8Array,
  responderStatic: Uint8Array,
  ephemeral: DhKeyPair,
  payload: Uint8Array,
): Promise<{ readonly message: Uint8Array; readonly handshake: Handshake }> {
  const start = mixHash(initialState(prologue), responderStatic) // <- s
  const withE = mixHash(start, ephemeral.publicKey) // -> e
  const withEs = mixKey(withE, await dh(ephemeral.privateKey, responderStatic)) // es
  const { state: symmetric, sealed } = encryptAndHash(withEs, payload)
  const message = encodeHandshakeMessage({ ephemeral: ephemeral.publicKey, sealedPayload: sealed })
  return { message, handshake: { symmetric, ephemeral } }
}

export async function unsafeRespond(
  prologue: Uint8Array,
  ours: DhKeyPair,
  received: Uint8Array,
  ephemeral: DhKeyPair,
  payload: Uint8Array,
) {
  const { ephemeral: theirs, sealedPayload } = decodeHandshakeMessage(received)
  const start = mixHash(initialState(prologue), ours.publicKey) // <- s
  const withE = mixHash(start, theirs) // -> e
  const opened = decryptAndHash(mixKey(withE, await dh(ours.privateKey, theirs)), sealedPayload) // es
  const withOurE = mixHash(opened.state, ephemeral.publicKey) // <- e
  const withEe = mixKey(withOurE, await dh(ephemeral.privateKey, theirs)) // ee
  const { state, sealed } = encryptAndHash(withEe, payload)
  const [fromInitiator, fromResponder] = split(state)
  return {
    message: encodeHandshakeMessage({ ephemeral: ephemeral.publicKey, sealedPayload: sealed }),
    transport: new Transport(fromResponder, fromInitiator),
    payload: opened.payload,
    hash: state.hash,
  }
}

export async function unsafeFinish({ symmetric, ephemeral }: Handshake, received: Uint8Array) {
  const { ephemeral: theirs, sealedPayload } = decodeHandshakeMessage(received)
  const withE = mixHash(symmetric, theirs) // <- e
  const opened = decryptAndHash(mixKey(withE, await dh(ephemeral.privateKey, theirs)), sealedPayload) // ee
  const [fromInitiator, fromResponder] = split(opened.state)
  return {
    transport: new Transport(fromInitiator, fromResponder),
    payload: opened.payload,
    hash: opened.state.hash,
  }
}

/** NOI3: a handshake message is 48 bytes, so its payload is empty. */
function onlyEmptyPayload(message: Uint8Array): void {
  if (message.length !== HANDSHAKE_MESSAGE_BYTES) throw new WireError('noise/handshake-length')
}
