import { expect, test } from './fixtures.ts'
import { composer, invite, lines, makeIdentity, mine, openChannel, paste, row, say, texts } from './person.ts'

test('[U-01] [C-12] web app and extension talk; the popup shows what is unread, and the badge counts it', async ({
  web,
  extension,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)

  const { context, popup, stopWorker } = await extension('ben')
  const first = await popup()
  await makeIdentity(first, 'Ben')
  await paste(first, link)
  await expect(first.getByRole('heading', { name: 'Ada' })).toBeVisible()
  await say(first, 'from the popup')
  await expect(mine(first, 'delivered')).toHaveCount(1)
  await first.close()

  const badge = async () => context.serviceWorkers()[0]?.evaluate(() => chrome.action.getBadgeText({}))
  await openChannel(ada, 'Ben')
  await say(ada, 'one')
  await say(ada, 'two')
  await expect(mine(ada, 'delivered')).toHaveCount(2)
  await expect.poll(badge).toBe('2')
  const notifications = () =>
    context.serviceWorkers()[0]?.evaluate(async () => Object.keys(await chrome.notifications.getAll()).length)
  await expect.poll(notifications, 'no face is open').toBe(1)

  const alarms = await context.serviceWorkers()[0]?.evaluate(() => chrome.alarms.getAll())
  expect(alarms, 'with no face open, the socket comes back by itself within a minute').toMatchObject([
    { periodInMinutes: 1 },
  ])
  await stopWorker()
  await say(ada, 'three')
  await expect(mine(ada, 'sent')).toHaveCount(1)
  const second = await popup() // opening a face brings the worker back at once
  await expect(row(second, 'Ada')).toContainText('3 unread messages')
  await expect(mine(ada, 'delivered')).toHaveCount(3)
  await openChannel(second, 'Ada')
  await expect(lines(second)).toHaveText([/from the popup/, /one/, /two/, /three/])
  await say(second, 'in one hand')
  await expect(mine(second, 'delivered')).toHaveCount(2)
  await expect.poll(badge).toBe('')
})

test('[U-01] [I-16] stopping the worker in the middle of sending loses nothing and doubles nothing', async ({
  web,
  extension,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const { popup, stopWorker } = await extension('ben')
  const ben = await popup()
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await expect(composer(ben)).toBeVisible()
  await openChannel(ada, 'Ben')
  const written = Array.from({ length: 12 }, (_, i) => `message ${i}`)
  for (const [i, text] of written.entries()) {
    await say(ben, text)
    if (i % 4 === 1) await stopWorker()
  }
  await expect(mine(ben, 'delivered')).toHaveCount(written.length, { timeout: 30_000 })
  await expect.poll(() => texts(ada)).toEqual(written)
})

test('[U-04] popup, side panel and worker at once agree', async ({ web, extension }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const { popup, sidepanel } = await extension('ben')
  const [first, second] = [await popup(), await sidepanel()]
  await makeIdentity(first, 'Ben')
  await paste(first, link)
  await expect(composer(first)).toBeVisible()
  await openChannel(second, 'Ada')
  await Promise.all(
    [first, second].map(async (face, which) => {
      for (let i = 0; i < 5; i++) await say(face, `face ${which} line ${i}`)
    }),
  )
  for (const face of [first, second]) await expect(mine(face, 'delivered')).toHaveCount(10)
  expect(await texts(first)).toEqual(await texts(second))
})
