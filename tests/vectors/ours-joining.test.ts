import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { CryptoError, WireError } from '#core/errors.ts'
import { addressOfName } from '#core/identity/channel-name.ts'
import { openJoinRequest } from '#core/message/join-request.ts'
import { joinKeyPair, openNameKeys } from '#core/message/name-keys.ts'
import type { AccountId, Address, Token } from '#core/wire/ids.ts'

/** Our own cases, frozen: a change of any layout or label shows here. One file, one case. */
type Case = {
  readonly rule: string
  readonly of: keyof typeof outcomes
  readonly expect: 'ok' | keyof typeof CLASSES
  readonly code?: string
  readonly given: Readonly<Record<string, string>>
  readonly gives?: Readonly<Record<string, unknown>>
}

const CLASSES = { wire: WireError, crypto: CryptoError } as const
const folder = resolve(import.meta.dirname, 'ours')
const names = readdirSync(folder).filter((name) => /^join-.*\.json$/.test(name))
const cases = names.map((name): readonly [string, Case] => [
  name,
  JSON.parse(readFileSync(resolve(folder, name), 'utf8')),
])
const fromHex = (hex = '') => new Uint8Array(Buffer.from(hex, 'hex'))

const outcomes = {
  async name({ name = '' }: Case['given']) {
    return { address: toHex(addressOfName(name)) }
  },
  async request(given: Case['given']) {
    const pair = await joinKeyPair({ seed: fromHex(given.seed) })
    const place = { address: addressOfName(given.name ?? ''), id: fromHex(given.id) }
    const { manifest, asked } = await openJoinRequest(pair, place, fromHex(given.request))
    const { name, note, atMs, device } = asked
    return { account: toHex(manifest.account), name, note, atMs, device: toHex(device) }
  },
  async keys(given: Case['given']) {
    const pair = await joinKeyPair({ seed: fromHex(given.accountSeed) })
    const place = { address: addressOfName(given.name ?? '') as Address, account: fromHex(given.account) as AccountId }
    const keys: { token: Token; seed: Uint8Array } = await openNameKeys(pair, place, fromHex(given.box))
    return { token: toHex(keys.token), seed: toHex(keys.seed) }
  },
} as const

describe('our own vectors: coming into a channel', () => {
  it('are there', () => expect(cases.length).toBeGreaterThanOrEqual(6))

  it.each(cases)('%s', async (_name, { of, given, expect: expected, code, gives }) => {
    const run = async () => outcomes[of](given)
    if (expected === 'ok') {
      expect(await run()).toEqual(gives)
      return
    }
    const error = await run().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(CLASSES[expected])
    expect(error).toHaveProperty('code', code)
  })
})
