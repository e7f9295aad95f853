import { describe, expect, it } from 'vitest'
import { readAccount, readDevice } from '#app/account/read-account.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { confirmBoth, linked, showing } from '../support/sim/link.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

/** Every manifest that a device signed and sent, by its number: two of one number are two faces of one root. */
function watchSigned(world: World): { twice(): string[] } {
  const signed = new Map<string, Set<string>>()
  world.onRequest((device, operation, args) => {
    if (operation !== 'account.put') return
    const { manifest } = args as ArgsOf<'account.put'>
    const number = `${device.name} ${new DataView(manifest.buffer, manifest.byteOffset).getUint32(33)}`
    signed.set(number, (signed.get(number) ?? new Set()).add(toBase64url(manifest)))
  })
  return { twice: () => [...signed].flatMap(([number, forms]) => (forms.size > 1 ? [number] : [])) }
}

describe('the manifest of an account with several devices', () => {
  it('[K-05] a device that was set up from the words lists itself, and the others take that over', async () => {
    const { world, ann } = await start(1)
    const two = await twin(world, ann, 'two')
    expect(await readDevice(two.store())).not.toHaveProperty('unlisted')
    ann.lose()
    await world.run(5_000)
    expect((await manifestOf(ann)).devices).toHaveLength(2)
    expect(await manifestOf(two)).toEqual(await manifestOf(ann))
  })

  it('[K-05] devices that list themselves at once end with one manifest that has all of them', async () => {
    for (let seed = 2; seed < 6; seed++) {
      const { world, ann } = await start(seed)
      const signed = watchSigned(world)
      const others = await Promise.all(['two', 'three', 'four'].map((name) => twin(world, ann, name)))
      for (const device of [ann, ...others]) device.lose()
      await world.run(30_000)
      for (const device of [ann, ...others]) expect((await manifestOf(device)).devices, `seed ${seed}`).toHaveLength(4)
      expect(signed.twice()).toEqual([])
    }
  })

  it('[K-05] a crash at any write of a change leaves it to be finished, and signs no number twice', async () => {
    for (const side of ['before', 'after'] as const) {
      for (let write = 1; write <= 6; write++) {
        const { world, ann } = await start(10 + write)
        const signed = watchSigned(world)
        const two = await twin(world, ann, 'two', (device) => device.crashAt(write, side))
        await world.run(30_000)
        expect((await manifestOf(two)).devices, `write ${write}, ${side}`).toHaveLength(2)
        expect(await readDevice(two.store())).not.toHaveProperty('unlisted')
        expect(signed.twice()).toEqual([])
      }
    }
  })

  it('[MAN10] what was signed once is sent again before anything else is signed, though its change is long given up', async () => {
    const { world, ann } = await start(19)
    const signed = watchSigned(world)
    const busy = new RelayError('relay/busy', { retryable: true })
    const { tablet, link } = await showing(world, 'never linked')
    ann.forge = (operation) => (operation === 'account.put' ? busy : undefined)
    await world.until(ann.request('joinLink', { code: link }))
    await confirmBoth(world, ann, tablet)
    ann.kill()
    ann.forge = () => undefined
    await world.run(5_000)
    await linked(world, ann, 'linked')
    expect(signed.twice()).toEqual([])
    expect((await manifestOf(ann)).devices).toHaveLength(3) // the one that was given up is shown, and can be revoked
  })

  it('[K-05] a realm that is behind, or shows another account, changes nothing here', async () => {
    const { world, ann } = await start(20)
    const before = await manifestOf(ann)
    for (const manifest of [new Uint8Array(400), undefined]) {
      ann.forge = (operation) => (operation === 'account.get' ? { manifest } : undefined)
      ann.lose()
      await world.run(5_000)
      expect(await ann.describe()).toContain('online')
      expect(await manifestOf(ann)).toEqual(before)
    }
  })

  it('[K-02] while one is on its way the words may be confirmed: that is not lost', async () => {
    const { world, ann } = await start(9)
    const words = await ann.request('revealPhrase', null)
    const answers = [1, 8, 24].map((position) => ({ position, word: words[position - 1] ?? '' }))
    let confirmed: Promise<unknown> | undefined
    world.onRequest((device, operation) => {
      if (device === ann && operation === 'account.put') confirmed ??= ann.request('confirmPhrase', answers)
    })
    await linked(world, ann, 'tablet')
    await confirmed
    expect((await manifestOf(ann)).devices).toHaveLength(2)
    expect(await readAccount(ann.store())).toMatchObject({ backedUp: true })
    await expect(ann.request('revealPhrase', null)).rejects.toMatchObject({ code: 'phrase/gone' })
  })
})
