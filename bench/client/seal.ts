import { ARGON2_SALT_BYTES, argon2id, DEFAULT_COST } from '#core/crypto/argon2id.ts'
import { systemDice } from '#core/crypto/random.ts'
import { openOuter, sealOuter } from '#core/message/outer.ts'
import { DEFAULT_SUITE, type Group, openMessage, sealMessage } from '#core/mls/index.ts'
import type { Address } from '#core/wire/ids.ts'
import { groupOf, makeAccount, world } from '../../tests/unit/core/mls/support.ts'

const MESSAGE_BYTES = 256
const BATCH = 25

/** Microseconds of each message in each of so many batches, one after the other: seal, open, and the least they could be. */
export type SealTimes = { readonly seal: number[]; readonly open: number[]; readonly bare: number[] }

export async function measureSeal(batches: number): Promise<SealTimes> {
  const w = world(DEFAULT_SUITE)
  let [writer, reader] = (await groupOf(w, [await makeAccount('ann'), await makeAccount('ben')])) as [Group, Group]
  const outerKey = systemDice(32)
  const address = systemDice(32) as Address
  const bare = await bareSeal()
  const times: SealTimes = { seal: [], open: [], bare: [] }
  for (let batch = -1; batch < batches; batch++) {
    const envelopes: Uint8Array[] = []
    const sealing = await each(async () => {
      const step = await sealMessage(writer, new Uint8Array(MESSAGE_BYTES), new Uint8Array(), systemDice)
      writer = step.next
      envelopes.push(await sealOuter(outerKey, address, step.message))
    })
    const opening = await each(async (i) => {
      const envelope = envelopes[i] ?? new Uint8Array()
      reader = (await openMessage(reader, await openOuter(outerKey, address, envelope), w.nowMs)).next
    })
    const least = await each(bare)
    if (batch < 0) continue // warm
    times.seal.push(sealing)
    times.open.push(opening)
    times.bare.push(least)
  }
  return times
}

async function each(run: (i: number) => Promise<void>): Promise<number> {
  const startMs = performance.now()
  for (let i = 0; i < BATCH; i++) await run(i)
  return ((performance.now() - startMs) * 1000) / BATCH
}

/** One signature and two AES-GCM seals by the platform: what no sealed, signed message does without. */
async function bareSeal(): Promise<() => Promise<void>> {
  const keys = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt'])
  const bytes = new Uint8Array(MESSAGE_BYTES)
  return async () => {
    await crypto.subtle.sign('Ed25519', keys.privateKey, bytes)
    for (let i = 0; i < 2; i++)
      await crypto.subtle.encrypt({ name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)) }, key, bytes)
  }
}

/** Milliseconds of each of so many passphrases, stretched as the doors of a vault do it (K-09). */
export async function measureArgon2(times: number): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) {
    const startMs = performance.now()
    await argon2id(systemDice(24), { ...DEFAULT_COST, salt: systemDice(ARGON2_SALT_BYTES) })
    taken.push(performance.now() - startMs)
  }
  return taken
}

Object.assign(globalThis, { measureSeal, measureArgon2 })
