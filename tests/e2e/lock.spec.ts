import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, lines, makeIdentity, mine, openChannel, paste, say } from './person.ts'

const PASSPHRASE = 'velvet harbor island'
const locked = (page: Page) => page.getByRole('heading', { name: 'Stave is locked' })

async function setLock(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: /^App lock/ }).click()
  await page.getByLabel('Passphrase for the lock').fill(PASSPHRASE)
  await page.getByRole('button', { name: 'Turn the lock on' }).click()
  await expect(page.getByRole('button', { name: 'Lock now' })).toBeVisible()
}

test('[K-10] while it is locked, every window of it shows a field and nothing else; unlocked, all is as before', async ({
  web,
  relay,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const ben = await web('ben')
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'for your eyes')
  await openChannel(ada, 'Ben')
  await expect(lines(ada)).toHaveText([/for your eyes/])
  await setLock(ada)
  const second = await ada.context().newPage()
  await second.goto(relay.url)
  await openChannel(second, 'Ben')

  await ada.getByRole('button', { name: 'Lock now' }).click()
  for (const page of [ada, second]) {
    await expect(locked(page)).toBeVisible()
    await expect(page.getByLabel('Passphrase', { exact: true })).toBeFocused()
    expect(await page.content()).not.toMatch(/for your eyes|Ben|Ada/)
    expect(await page.title()).toBe('Stave')
  }
  await say(ben, 'while it is locked')
  await second.reload()
  await expect(locked(second)).toBeVisible()
  await second.getByLabel('Passphrase', { exact: true }).fill('velvet harbor')
  await second.keyboard.press('Enter')
  await expect(second.getByText(/^That doesn’t unlock it/)).toBeVisible()
  await second.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await second.keyboard.press('Enter')
  for (const page of [ada, second]) await expect(locked(page)).toHaveCount(0)
  await expect(lines(second)).toHaveText([/for your eyes/, /while it is locked/])
  await expect(mine(ben, 'delivered')).toHaveCount(2)

  await ada.getByRole('button', { name: 'Turn the lock off' }).click()
  await expect(ada.getByText('The lock is off.').filter({ visible: true }).first()).toBeVisible()
})

test('[K-10] once every window of it is closed, it opens locked', async ({ profile, relay }) => {
  const context = await profile('ada')
  const first = await context.newPage()
  await first.goto(relay.url)
  await makeIdentity(first, 'Ada')
  await setLock(first)
  const next = await context.newPage()
  await next.goto(relay.url)
  await expect(next.getByLabel('Conversations').first()).toBeVisible()
  for (const page of context.pages()) if (page !== next) await page.close()
  await next.goto('about:blank')
  await next.goto(relay.url)
  await expect(locked(next)).toBeVisible()
})
