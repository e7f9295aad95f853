import { describe, expect, it } from 'vitest'
import { NOTES } from '#app/log/notes.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import { twin } from '../support/sim/twin.ts'

const texts = (device: Parameters<typeof textsOf>[0], channelId: string) => textsOf(device, channelId)

describe('old copies', () => {
  it('[L-04] [R-03] a log that goes back to an older copy takes nothing away: what the devices had appended is there again', async () => {
    const { world, ann } = await meet(101)
    const second = await twin(world, ann, 'second')
    await world.run(10_000)
    const written: string[] = []
    const write = async (many: number): Promise<void> => {
      for (let i = 0; i < many; i++) {
        written.push(`note ${written.length}`)
        await say(i % 2 === 0 ? ann : second, NOTES, written.at(-1) ?? '')
        await world.run(2_000)
      }
    }
    await write(6)
    const goBack = world.relay.copy('LOG')
    await write(6)
    await ann.face().saveSettings({ ...(await ann.face().settings()), theme: 'dark' })
    await world.run(10_000)
    for (const device of [ann, second]) device.goAway()
    goBack()
    for (const device of [ann, second]) device.comeBack()
    await world.run(60_000)
    for (const device of [ann, second]) expect(await texts(device, NOTES)).toEqual(written)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const fresh = await world.device('fresh')
    const input = { deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', { key: { by: 'phrase', words }, ...input }))
    await world.run(30_000)
    expect(await texts(fresh, NOTES)).toEqual(written)
    expect((await fresh.face().settings()).theme).toBe('dark')
    await write(2)
    await world.run(10_000)
    for (const device of [ann, second, fresh]) expect(await texts(device, NOTES)).toEqual(written)
  })

  it('[L-04] an old copy of a device rolls nothing back, and sends nothing again that was sent', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(102)
    const second = await twin(world, ann, 'second')
    await world.run(20_000)
    ann.goAway()
    await say(ann, NOTES, 'a note')
    await ann.face().saveSettings({ ...(await ann.face().settings()), theme: 'dark' })
    await world.run(5_000)
    const goBack = ann.disk.copy()
    ann.comeBack()
    await world.run(20_000)
    await second.face().saveSettings({ ...(await second.face().settings()), theme: 'light' })
    await say(second, NOTES, 'another')
    await world.run(20_000)
    ann.kill()
    goBack()
    await world.run(30_000)
    for (const device of [ann, second]) {
      expect(await texts(device, NOTES)).toEqual(['a note', 'another'])
      expect((await device.face().settings()).theme).toBe('light')
    }
    expect((await ann.lines(NOTES)).map((line) => line.kind === 'text' && line.state)).toEqual(['sent', 'sent'])
    await say(bea, ofBea, 'still there?')
    await world.run(20_000)
    expect(await texts(ann, ofAnn)).toEqual(['still there?'])
  })
})
