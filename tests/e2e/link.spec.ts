import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  bothCompare,
  bringIdentity,
  invite,
  joinLink,
  lines,
  makeIdentity,
  mine,
  openChannel,
  paste,
  row,
  say,
  texts,
} from './person.ts'

const says = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** @returns the code that the new device shows */
async function showCode(page: Page): Promise<string> {
  await bringIdentity(page, 'Another device of mine')
  await says(page, 'Show the code')
  return (await page.getByTestId('link-code').textContent()) ?? ''
}

test('[K-06] a typed code, the same digits on both screens, and both have everything', async ({ web }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const ben = await web('ben')
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'before the link')
  await expect(mine(ben, 'delivered')).toHaveCount(1)

  const other = await web('other')
  const code = await showCode(other)
  expect(code.replaceAll(/\W/g, '')).toHaveLength(16)
  await joinLink(ada, code.toLowerCase().replaceAll('-', ' '))
  await bothCompare(ada, other)
  await says(other, 'They match')
  await expect(other.getByText(/Say on the other device too/)).toBeVisible()
  await says(ada, 'They match')
  await expect(row(other, 'Ben')).toBeVisible({ timeout: 30_000 })
  await says(ada, 'Done')
  await expect(ada.getByTestId('device')).toHaveCount(2)

  await openChannel(other, 'Ben')
  await expect.poll(() => texts(other)).toEqual(['before the link'])
  await say(other, 'from the linked device')
  await expect(lines(ben).last()).toContainText('from the linked device', { timeout: 30_000 })
  await other.getByRole('button', { name: 'Settings' }).first().click()
  await other.getByRole('link', { name: /^Devices/ }).click()
  await expect(other.getByText(/^This device can’t link or remove others/)).toBeVisible()
})

test('[K-06] digits that differ hand nothing over, and the code is worth nothing afterwards', async ({ web }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const other = await web('other')
  const code = await showCode(other)
  await joinLink(ada, code)
  await bothCompare(ada, other)
  await says(ada, 'They differ')
  await expect(ada.getByText(/^You said that the numbers differ/)).toBeVisible()
  await expect(other.getByText(/^Linking was stopped/)).toBeVisible()
  await ada.getByLabel('Code or link of the new device').fill(code)
  await says(ada, 'Link this code')
  await expect(ada.getByRole('heading', { name: 'Not linked' })).toBeVisible({ timeout: 60_000 })
  await other.goto(new URL('/', other.url()).href)
  await other.reload()
  await expect(row(other, 'Notes to self')).toHaveCount(0)
})

test('[K-06] [U-01] an extension becomes a device by its link, in the side panel', async ({
  web,
  extension,
  relay,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const { sidepanel } = await extension('other')
  const panel = await sidepanel()
  await bringIdentity(panel, 'Another device of mine')
  await panel.getByLabel('Address of your relay').fill(relay.url)
  await says(panel, 'Show the code')
  await joinLink(ada, await panel.getByRole('textbox', { name: 'Link', exact: true }).inputValue())
  await bothCompare(ada, panel)
  await says(ada, 'They match')
  await says(panel, 'They match')
  await expect(row(panel, 'Notes to self')).toBeVisible({ timeout: 30_000 })
  await says(ada, 'Done')
  await expect(ada.getByTestId('device').filter({ hasText: 'Extension' })).toHaveCount(1, { timeout: 30_000 }) // by the log
})
