import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import { CryptoError, InputError, StateError, WireError } from '#core/errors.ts'
import { readCard } from '#core/identity/card.ts'
import { checkVaultRecord } from '#core/identity/vault-record.ts'
import { accountHpkePair, decodeKeyRing, hashKeyRing, logAddressOf, newest } from '#core/keys/key-ring.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { logOwner } from '#core/keys/tree.ts'
import { openVault } from '#core/keys/vault.ts'
import { linkAddressOf, readLinkCode } from '#core/link/code.ts'
import { commitTo, sessionOf } from '#core/link/session.ts'
import { deltasOf } from '#core/log/page.ts'
import { openEntry } from '#core/log/seal.ts'
import type { Address, Head, TokenHash } from '#core/wire/ids.ts'

/** Our own cases, frozen: a change of any layout or label shows here. One file, one case. */
type Case = {
  readonly rule: string
  readonly of: keyof typeof outcomes
  readonly expect: 'ok' | keyof typeof CLASSES
  readonly code?: string
  readonly given: Readonly<Record<string, string>>
  readonly gives?: Readonly<Record<string, unknown>>
}

const CLASSES = { wire: WireError, crypto: CryptoError, state: StateError, input: InputError } as const
const folder = resolve(import.meta.dirname, 'ours')
const names = readdirSync(folder).filter((name) => /^(vault|log|link)-.*\.json$/.test(name))
const cases = names.map((name): readonly [string, Case] => [
  name,
  JSON.parse(readFileSync(resolve(folder, name), 'utf8')),
])
const fromHex = (hex = '') => new Uint8Array(Buffer.from(hex, 'hex'))

const outcomes = {
  async owner({ rootSeed }: Case['given']) {
    return { publicKey: toHex((await logOwner(fromHex(rootSeed))).publicKey) }
  },
  async ring(given: Case['given']) {
    const ring = decodeKeyRing(fromHex(given.ring))
    return {
      account: toHex(ring.account),
      generations: ring.generations.length,
      hash: toHex(hashKeyRing(ring)),
      address: toHex(logAddressOf(ring.logAddressSecret, fromHex(given.realmKey))),
      hpkeKey: toHex((await accountHpkePair(newest(ring))).publicKey),
    }
  },
  async passphrase(given: Case['given']) {
    const [memoryKib = 0, passes = 0, lanes = 0] = (given.cost ?? '').split(' ').map(Number)
    const params = { salt: fromHex(given.salt), memoryKib, passes, lanes }
    return { seed: toHex(await passphraseSeed(given.text ?? '', params)) }
  },
  async vault(given: Case['given']) {
    const record = {
      number: Number(given.number),
      generation: Number(given.generation),
      tokenHash: fromHex(given.tokenHash) as TokenHash,
      body: fromHex(given.body),
    }
    const checked = await checkVaultRecord(record, fromHex(given.signature), fromHex(given.owner))
    const key = { kind: 'phrase', seed: fromHex(given.phraseDoorSeed) } as const
    const { ring, doors } = await openVault(checked, key, fromHex(given.keyRingHash))
    return { account: toHex(ring.account), doors: doors.map(({ kind }) => kind) }
  },
  async card(given: Case['given']) {
    const { origin, realmKey, logAddress, ownerKey, doorId } = readCard(given.text ?? '')
    const bytes = { realmKey, logAddress, ownerKey, doorId }
    return { origin, ...Object.fromEntries(Object.entries(bytes).map(([name, value]) => [name, toHex(value)])) }
  },
  async chain(given: Case['given']) {
    const first = firstLogHead(fromHex(given.address) as Address)
    const second = nextLogHead(first, 1, fromHex(given.entry))
    return { first: toHex(first), second: toHex(second), third: toHex(nextLogHead(second as Head, 2, fromHex(''))) }
  },
  async entry(given: Case['given']) {
    const place = { address: fromHex(given.address) as Address, position: Number(given.position) }
    const entry = await openEntry(decodeKeyRing(fromHex(given.ring)), place, fromHex(given.entry))
    const dated = await deltasOf(entry)
    return {
      by: dated.map(({ by }) => toHex(by)),
      said: dated.map(({ delta }) => ('text' in delta ? delta.text : delta.kind)),
    }
  },
  async code(given: Case['given']) {
    const code = readLinkCode(given.text ?? '')
    return {
      keyHash: toHex(code.keyHash),
      address: toHex(linkAddressOf(code)),
      ...(code.realm === undefined ? {} : { origin: code.realm.origin, realmKey: toHex(code.realm.realmKey) }),
    }
  },
  async session(given: Case['given']) {
    const [publicKey, enc, nonceN, nonceH] = [given.publicKey, given.enc, given.nonceN, given.nonceH].map(fromHex)
    if (!publicKey || !enc || !nonceN || !nonceH) throw new Error('a field is missing')
    const commitment = given.commitment === undefined ? commitTo(nonceH, publicKey, enc) : fromHex(given.commitment)
    const session = sessionOf({ publicKey, enc, commitment, nonceN, nonceH }, fromHex(given.secret))
    return {
      commitment: toHex(commitment),
      transcript: toHex(session.transcript),
      digits: session.digits,
      askKey: toHex(session.askKey),
      grantKey: toHex(session.grantKey),
    }
  },
} as const

describe('our own vectors: vault, log and linking', () => {
  it('are there', () => expect(cases.length).toBeGreaterThanOrEqual(14))

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
