import { expect, it } from 'vitest'
import { meet, say, textsOf } from '../support/sim/meet.ts'

/** 5,000 with STAVE_BACKLOG=5000. */
const MESSAGES = Number(process.env.STAVE_BACKLOG ?? 400)
const EPOCHS = 40

it(`[C-07] [M-09] ${MESSAGES} messages and ${EPOCHS} epochs that waited for a device open without a warning`, {
  timeout: 3_600_000,
}, async () => {
  const { world, ann, bea, ofAnn, ofBea } = await meet(521)
  bea.goAway()
  const said: string[] = []
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    await world.until(ann.request('heal', { channelId: ofAnn }))
    for (let i = 0; i < MESSAGES / EPOCHS; i++) {
      said.push(`message ${said.length}`)
      await ann.write(ofAnn, said.at(-1) ?? '')
    }
    await ann.request('wake', null)
    await world.run(20_000)
  }
  const before = await bea.store().get('syncs', ofBea)
  const there = await ann.store().get('syncs', ofAnn)
  expect((there?.commits ?? 0) - (before?.commits ?? 0)).toBeGreaterThanOrEqual(EPOCHS)
  bea.comeBack()
  await world.run(120_000)
  expect(await textsOf(bea, ofBea)).toEqual(said) // no line besides: nothing unreadable, no gap
  expect(await bea.store().get('channels', ofBea)).toMatchObject({ state: 'open' })
  const [health] = await bea.face().keyHealth()
  expect(health?.problems).toEqual([])
  await say(bea, ofBea, 'all read')
  await world.run(10_000)
  expect((await textsOf(ann, ofAnn)).at(-1)).toBe('all read')
})
