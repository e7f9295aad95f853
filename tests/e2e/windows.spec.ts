import { expect, test } from './fixtures.ts'
import { composer, invite, lines, makeIdentity, mine, openChannel, paste, say, texts } from './person.ts'

test('[U-04] three tabs write at once, the one that runs the engine is closed, and all agree', async ({
  web,
  relay,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await expect(composer(ben)).toBeVisible()
  await openChannel(ada, 'Ben')
  await say(ben, 'start')
  await expect(mine(ben, 'delivered')).toHaveCount(1)

  const more = await Promise.all([ben.context().newPage(), ben.context().newPage()])
  for (const page of more) await page.goto(ben.url())
  const tabs = [ben, ...more]
  for (const tab of tabs) await expect(lines(tab)).toHaveCount(1) // a person writes once there is something to see
  await Promise.all(
    tabs.map(async (tab, which) => {
      for (let i = 0; i < 5; i++) await say(tab, `tab ${which} line ${i}`)
    }),
  )
  // What was typed last is on the disk a moment after it is on the screen.
  await expect(lines(more[0]).filter({ hasText: 'tab 0 line 4' })).toHaveCount(1)
  await ben.close() // the first tab held the lock: another one goes on (under 300 ms, docs/benchmarks.md)
  for (const tab of more) await say(tab, 'after')
  for (const tab of more) await expect(mine(tab, 'delivered')).toHaveCount(18)
  const [first, second] = [await texts(more[0]), await texts(more[1])]
  expect(first).toEqual(second)
  expect(new Set(first.filter((text) => text.startsWith('tab'))).size).toBe(15)
  for (const which of [0, 1, 2]) {
    expect(first.filter((text) => text.startsWith(`tab ${which} `))).toEqual(
      [0, 1, 2, 3, 4].map((i) => `tab ${which} line ${i}`),
    )
  }
  await expect(lines(ada)).toHaveCount(18)
  expect(relay.output()).toBe('')
})
