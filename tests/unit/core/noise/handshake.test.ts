import { describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import type { Dice } from '#core/crypto/random.ts'
import { CryptoError, WireError } from '#core/errors.ts'
import { finish, initiate, respond, staticKeyPair } from '#core/noise/handshake.ts'
import { decodeHandshakeMessage, HANDSHAKE_MESSAGE_BYTES, PROLOGUE } from '#core/noise/messages.ts'
import { LOW_ORDER } from '../crypto/low-order.ts'

function seededDice(seed: number): Dice {
  let draws = 0
  return (length) => sha256(Uint8Array.of(seed, draws++)).slice(0, length)
}
const realm = await staticKeyPair(sha256(Uint8Array.of(7)))
const hello = new TextEncoder().encode('hello')

describe('Noise NK', () => {
  it('[T-01] both ends talk once the handshake is done', async () => {
    const { message, handshake } = await initiate(PROLOGUE, realm.publicKey, seededDice(1))
    expect(message).toHaveLength(HANDSHAKE_MESSAGE_BYTES)
    const answered = await respond(PROLOGUE, realm, message, seededDice(2))
    expect(answered.message).toHaveLength(HANDSHAKE_MESSAGE_BYTES)
    const client = await finish(handshake, answered.message)
    expect(answered.transport.open(client.seal(hello))).toEqual(hello)
    expect(client.open(answered.transport.seal(hello))).toEqual(hello)
  })

  it('[T-01] a replayed first message leads to another channel, which its frames do not open', async () => {
    const { message, handshake } = await initiate(PROLOGUE, realm.publicKey)
    const first = await respond(PROLOGUE, realm, message)
    const replayed = await respond(PROLOGUE, realm, message)
    const client = await finish(handshake, first.message)
    const frame = client.seal(hello)
    expect(() => replayed.transport.open(frame)).toThrow(CryptoError)
    expect(first.transport.open(frame)).toEqual(hello)
    expect(replayed.message).not.toEqual(first.message)
    expect(replayed.transport.encode()).not.toEqual(first.transport.encode())
  })

  it('[T-01] a bit flipped in any byte of the first message is refused', async () => {
    const { message } = await initiate(PROLOGUE, realm.publicKey, seededDice(1))
    for (const bit of bitsOf(message)) {
      await expect(respond(PROLOGUE, realm, flipped(message, bit), seededDice(2))).rejects.toThrow(CryptoError)
    }
  })

  it('[T-01] a bit flipped in any byte of the second message is refused', async () => {
    const { message, handshake } = await initiate(PROLOGUE, realm.publicKey, seededDice(1))
    const answer = await respond(PROLOGUE, realm, message, seededDice(2))
    for (const bit of bitsOf(answer.message)) {
      await expect(finish(handshake, flipped(answer.message, bit))).rejects.toThrow(CryptoError)
    }
  })

  it('[T-01] low-order points are refused by both ends', async () => {
    const { message, handshake } = await initiate(PROLOGUE, realm.publicKey, seededDice(1))
    for (const point of LOW_ORDER) {
      const forged = message.slice()
      forged.set(point)
      await expect(respond(PROLOGUE, realm, forged)).rejects.toThrow('x25519/low-order')
      await expect(finish(handshake, forged)).rejects.toThrow('x25519/low-order')
      await expect(initiate(PROLOGUE, point)).rejects.toThrow('x25519/low-order')
    }
  })

  it('[T-01] another realm key, or another version, does not open', async () => {
    const other = await staticKeyPair(sha256(Uint8Array.of(8)))
    const { message } = await initiate(PROLOGUE, other.publicKey)
    await expect(respond(PROLOGUE, realm, message)).rejects.toThrow('noise/handshake')
    const later = PROLOGUE.with(-1, 2)
    const { message: fromLater } = await initiate(later, realm.publicKey)
    await expect(respond(PROLOGUE, realm, fromLater)).rejects.toThrow('noise/handshake')
  })

  it('[NOI3] a handshake message of another length is refused before any key is used', async () => {
    const { message, handshake } = await initiate(PROLOGUE, realm.publicKey)
    for (const wrong of [
      new Uint8Array(),
      message.slice(0, 47),
      new Uint8Array([...message, 0]),
      new Uint8Array(70_000),
    ]) {
      await expect(respond(PROLOGUE, realm, wrong)).rejects.toThrow(WireError)
      await expect(finish(handshake, wrong)).rejects.toThrow(WireError)
    }
    expect(() => decodeHandshakeMessage(message.slice(0, 47))).toThrow('noise/handshake-length')
  })
})

/** One bit of each byte; of the key's last one the top bit, which X25519 ignores and the handshake hash does not. */
function bitsOf(message: Uint8Array): readonly number[] {
  return Array.from(message, (_, at) => at * 8 + (at % 8))
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const out = bytes.slice()
  out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return out
}
