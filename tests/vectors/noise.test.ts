import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { unsafeFinish, unsafeInitiate, unsafeRespond } from '#core/noise/handshake.ts'

type Case = {
  readonly protocol_name: string
  readonly init_prologue: string
  readonly init_ephemeral: string
  readonly init_remote_static: string
  readonly resp_prologue: string
  readonly resp_static: string
  readonly resp_ephemeral: string
  readonly handshake_hash: string
  readonly messages: readonly { readonly payload: string; readonly ciphertext: string }[]
}

const file = resolve(process.env.STAVE_VECTORS ?? '../shared/vectors', 'noise.json')
const present = existsSync(file)
if (!present) console.error(`skipped: no Noise vectors at ${file}`)
const cases: Case[] = present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ours = cases.filter(({ protocol_name }) => protocol_name === 'Noise_NK_25519_ChaChaPoly_SHA256')
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

describe.skipIf(!present)('published Noise vectors', () => {
  it('has an NK case', () => expect(ours).toHaveLength(1))

  it.each(ours)('[T-01] $protocol_name: handshake, hash and every transport message', async (vector) => {
    const [first, second, ...rest] = vector.messages
    if (first === undefined || second === undefined) throw new Error('a case without a handshake')
    const initiator = await unsafeInitiate(
      fromHex(vector.init_prologue),
      fromHex(vector.init_remote_static),
      await dhKeyPairFrom(fromHex(vector.init_ephemeral)),
      fromHex(first.payload),
    )
    expect(toHex(initiator.message)).toBe(first.ciphertext)

    const responder = await unsafeRespond(
      fromHex(vector.resp_prologue),
      await dhKeyPairFrom(fromHex(vector.resp_static)),
      initiator.message,
      await dhKeyPairFrom(fromHex(vector.resp_ephemeral)),
      fromHex(second.payload),
    )
    expect(toHex(responder.payload)).toBe(first.payload)
    expect(toHex(responder.message)).toBe(second.ciphertext)
    expect(toHex(responder.hash)).toBe(vector.handshake_hash)

    const finished = await unsafeFinish(initiator.handshake, responder.message)
    expect(toHex(finished.payload)).toBe(second.payload)
    expect(toHex(finished.hash)).toBe(vector.handshake_hash)

    expect(rest.length).toBeGreaterThan(2)
    let [sender, receiver] = [finished.transport, responder.transport]
    for (const { payload, ciphertext } of rest) {
      const sealed = sender.seal(fromHex(payload))
      expect(toHex(sealed)).toBe(ciphertext)
      expect(toHex(receiver.open(sealed))).toBe(payload)
      ;[sender, receiver] = [receiver, sender]
    }
  })
})
