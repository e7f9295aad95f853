import { beforeEach, describe, expect, it } from 'vitest'
import { confirmPhrase, revealPhrase } from '#app/account/back-up.ts'
import { createIdentity } from '#app/account/create-identity.ts'
import { readAccount } from '#app/account/read-account.ts'
import type { Deps } from '#app/deps.ts'
import { systemDice } from '#core/crypto/random.ts'
import { MemoryRows, makeMemoryHandles } from '../../support/memory-rows.ts'
import { PlainStore } from '../../support/sim/plain-store.ts'

let deps: Deps
let words: readonly string[]
const answers = (...positions: number[]) => positions.map((position) => ({ position, word: words[position - 1] ?? '' }))

beforeEach(async () => {
  deps = { store: new PlainStore(new MemoryRows()), handles: makeMemoryHandles(), dice: systemDice } as unknown as Deps
  await createIdentity(deps, { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' })
  words = await revealPhrase(deps)
})

describe('the backup ceremony', () => {
  it('[K-02] takes some of the words back in any case and form, and then forgets them', async () => {
    expect((await readAccount(deps.store))?.backedUp).toBe(false)
    const given = answers(1, 8, 24).map(({ position, word }) => ({ position, word: ` ${word.toUpperCase()} ` }))
    await confirmPhrase(deps, given)
    expect((await readAccount(deps.store))?.backedUp).toBe(true)
    expect(await deps.store.get('meta', 'phrase')).toBeUndefined()
    await expect(revealPhrase(deps)).rejects.toMatchObject({ code: 'phrase/gone' })
  })

  it('[K-02] names the first wrong word, wants three different ones, and forgets nothing before', async () => {
    const wrong = [...answers(2), { position: 5, word: 'nonsense' }, { position: 9, word: 'nonsense' }]
    await expect(confirmPhrase(deps, wrong)).rejects.toMatchObject({ code: 'phrase/word', detail: { position: 5 } })
    await expect(confirmPhrase(deps, answers(2, 2, 2))).rejects.toMatchObject({ code: 'phrase/too-few' })
    await expect(confirmPhrase(deps, answers(1, 2, 99))).rejects.toMatchObject({ code: 'phrase/word' })
    expect(await revealPhrase(deps)).toEqual(words)
  })

  it('[K-01] asking for an identity again changes nothing', async () => {
    await createIdentity(deps, { name: 'Mallory', deviceName: 'other', deviceKind: 'web' })
    expect(await revealPhrase(deps)).toEqual(words)
    await expect(createIdentity(deps, { name: '  ', deviceName: '', deviceKind: 'web' })).rejects.toMatchObject({
      code: 'identity/name',
    })
  })
})
