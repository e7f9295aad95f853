import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { composer, invite, lines, makeIdentity, mine, openChannel, paste, say, texts } from './person.ts'

async function meet(ada: Page, ben: Page): Promise<void> {
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await expect(composer(ben)).toBeVisible()
  await openChannel(ada, 'Ben')
}

test('[U-03] offline, the web app opens, shows everything and takes messages; they go out once and in order', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await meet(ada, ben)
  await say(ben, 'before')
  await expect(mine(ben, 'delivered')).toHaveCount(1)
  await ben.evaluate(() => navigator.serviceWorker.ready)
  await ben.context().setOffline(true)
  await ben.reload() // a new process without a network: everything is from the disk
  await expect(lines(ben)).toHaveText([/before/])
  await expect(ben.getByText('Offline. What you write goes out later.').filter({ visible: true })).toHaveCount(1)
  for (const text of ['one', 'two', 'three']) await say(ben, text)
  await expect(mine(ben, 'waiting')).toHaveCount(3)
  await say(ada, 'meanwhile')
  await ben.context().setOffline(false)
  await expect(mine(ben, 'delivered')).toHaveCount(4)
  await expect(lines(ada)).toHaveCount(5)
  expect((await texts(ada)).filter((text) => text !== 'meanwhile')).toEqual(['before', 'one', 'two', 'three'])
  expect(await texts(ben)).toEqual(await texts(ada))
})

test('[M-10] [I-16] the relay is killed while they talk, several times: nothing is lost, nothing is doubled', async ({
  web,
  relay,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await meet(ada, ben)
  for (let i = 0; i < 4; i++) {
    await say(ada, `ada ${i}`)
    await say(ben, `ben ${i}`)
    if (i % 2 === 0) await relay.kill('SIGKILL')
  }
  await relay.ready()
  for (const page of [ada, ben]) {
    await expect(mine(page, 'delivered')).toHaveCount(4, { timeout: 40_000 })
    await expect(lines(page)).toHaveCount(8)
  }
  const [ofAda, ofBen] = [await texts(ada), await texts(ben)]
  expect(ofAda).toEqual(ofBen)
  expect([...ofAda].sort()).toEqual([0, 1, 2, 3].flatMap((i) => [`ada ${i}`, `ben ${i}`]).sort())
})
