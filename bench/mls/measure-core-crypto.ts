import { createCommit } from 'ts-mls/createCommit.js'
import { decodeMlsMessage, encodeMlsMessage } from 'ts-mls/message.js'
import type { Proposal } from 'ts-mls/proposal.js'
import { createSecretTree } from 'ts-mls/secretTree.js'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { systemDice } from '#core/crypto/random.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { SUITE_CLASSICAL } from '#core/mls/index.ts'
import { provider } from '#core/mls/provider.ts'
import type { CoreCryptoModule } from '../../tests/differential/core-crypto.ts'
import { clientOf, type Device } from '../../tests/differential/device.ts'
import { openMlsDevice } from '../../tests/differential/open-mls.ts'
import { clientConfig } from '../../tests/differential/ours.ts'
import { buildGroup, type Shape } from './build-group.ts'
import { MESSAGES, median, type Row } from './median.ts'

const DAY_S = 86_400n

/**
 * The same as measure.ts for OpenMLS as core-crypto has it, with its database in memory. Two of its devices are added to a group of
 * that shape. It keeps what it makes, so that each repetition is another commit; what it keeps is not to be had as bytes.
 */
export async function measureCoreCrypto(module: CoreCryptoModule, size: number, shape: Shape): Promise<Row> {
  const device = () => openMlsDevice(systemDice, module)
  const [first, last] = [await device(), await device()]
  await enter(first, last, size, shape)
  const spare = await device()
  const times = new Map<string, number[]>()
  const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await run()
    times.set(what, [...(times.get(what) ?? []), performance.now() - start])
    return result
  }
  const row: Record<string, number> = { 'key package': await median(() => spare.keyPackage()) }

  for (let i = 0; i < 4; i++) {
    const updated = await timed('update', () => first.commit({}))
    await timed('open an update', () => last.follow(updated.commit))
    row['B update'] = updated.commit.length

    const joiner = await device()
    const adds = [await joiner.keyPackage()]
    const added = await timed('add one', () => first.commit({ adds }))
    await timed('open an add', () => last.follow(added.commit))
    const { welcome = new Uint8Array() } = added
    await timed('join', () => joiner.join(welcome))
    row['B add'] = added.commit.length
    row['B welcome with its tree'] = welcome.length
    if (size > 2) {
      const removed = await timed('remove one', () => first.commit({ removes: [joiner.id] }))
      await timed('open a remove', () => last.follow(removed.commit))
      row['B remove'] = removed.commit.length

      const outsider = await device()
      const info = await first.groupInfo()
      const entered = await timed('external join', () => outsider.joinBy(info))
      await timed('open an external join', () => last.follow(entered))
      await first.follow(entered)
      row['B external join'] = entered.length
    }
  }
  for (const bytes of MESSAGES) {
    const plaintext = new Uint8Array(bytes)
    for (let i = 0; i < (bytes > 100_000 ? 5 : 21); i++) {
      const sealed = await timed(`seal ${bytes} B`, () => first.seal(plaintext))
      await timed(`open ${bytes} B`, () => last.open(sealed))
    }
  }
  for (const [what, all] of times) {
    const warm = all.slice(1).toSorted((a, b) => a - b)
    row[what] = warm[Math.floor(warm.length / 2)] ?? Number.NaN
  }
  return row
}

/** Brings both into one group, by a commit of a member of ours that nobody else has to follow. */
async function enter(first: Device, last: Device, size: number, shape: Shape): Promise<void> {
  const adds = [await last.keyPackage()]
  if (size === 2) {
    await first.create(systemDice(32))
    await last.join((await first.commit({ adds })).welcome ?? new Uint8Array())
    return
  }
  const { cs, state } = await memberOfOurs(size - 2, shape)
  const extraProposals = [await first.keyPackage(), ...adds].map((bytes): Proposal => {
    const message = decodeMlsMessage(bytes, 0)?.[0]
    if (message?.wireformat !== 'mls_key_package') throw new Error('no key package')
    return { proposalType: 'add', add: { keyPackage: message.keyPackage } }
  })
  const made = await createCommit({ state, cipherSuite: cs }, { extraProposals, ratchetTreeExtension: true })
  if (made.welcome === undefined) throw new Error('no welcome')
  const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
  await first.join(welcome)
  await last.join(welcome)
}

async function memberOfOurs(size: number, shape: Shape) {
  const keys = new Map<string, SigningKey['sign']>()
  const base = provider(SUITE_CLASSICAL, { dice: systemDice })
  const sign = (key: Uint8Array, data: Uint8Array) =>
    keys.get(key.join())?.(data) ?? Promise.reject(new Error('no key'))
  const cs = { ...base, signature: { ...base.signature, sign } }
  const nowS = BigInt(Math.floor(Date.now() / 1000))
  const lifetime = { notBefore: nowS - 3600n, notAfter: nowS + 30n * DAY_S }
  const capabilities = {
    versions: ['mls10' as const],
    ciphersuites: [cs.name],
    extensions: [],
    proposals: [],
    credentials: ['basic' as const, 'x509' as const],
  }
  const seats = await Promise.all(
    Array.from({ length: size }, async () => {
      const signKey = systemDice(32)
      const key = await signingKeyFromSeed(signKey)
      keys.set(signKey.join(), key.sign)
      return { certificate: toUtf8(clientOf(systemDice).id), signKey, publicKey: key.publicKey }
    }),
  )
  const plan = { cs, seats, shape, capabilities, extensions: [], clientConfig, lifetime, createSecretTree }
  const [state] = await buildGroup(plan)
  return { cs, state }
}
