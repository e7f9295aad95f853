import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, makeIdentity, openChannel, paste, row, say, texts } from './person.ts'

/** The one who invites has both of the others among their people. */
async function meet(host: Page, guest: Page, name: string): Promise<void> {
  const link = await invite(host)
  await makeIdentity(guest, name)
  await paste(guest, link)
  await say(guest, `hello from ${name}`)
  await expect(row(host, name)).toContainText(`hello from ${name}`)
}

const space = (page: Page) => page.getByRole('button', { name: /^Sheds/ })
const members = (page: Page) => page.getByTestId('member')
async function openSpace(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'About the space Sheds' }).click()
  await expect(page.getByRole('heading', { name: 'Sheds', exact: true })).toBeVisible()
}

test('[C-10] a space in the web app and in the extension: channels, who comes and goes, folded and by keyboard', async ({
  web,
  extension,
}) => {
  test.setTimeout(360_000)
  const ada = await web('ada')
  const ben = await (await extension('ben')).sidepanel()
  const cleo = await web('cleo')
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await meet(ada, cleo, 'Cleo')

  await ada.getByRole('button', { name: 'New group' }).click()
  await ada.getByRole('link', { name: 'Make a space with several channels' }).click()
  await ada.getByRole('button', { name: 'Make the space' }).click()
  await expect(ada.getByText('Write a name for the space.')).toBeVisible()
  await ada.getByLabel('Name of the space').fill('Sheds')
  await ada.getByRole('checkbox', { name: 'Ben' }).check()
  await ada.getByRole('button', { name: 'Make the space' }).click()
  await expect(ada.getByRole('heading', { name: 'Sheds', exact: true })).toBeVisible()
  await ada.getByLabel('Name of a new channel').fill('Tools')
  await ada.getByRole('button', { name: 'Add the channel' }).click()
  await expect(row(ada, 'Tools')).toBeVisible({ timeout: 30_000 })

  await ben.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(space(ben)).toBeVisible({ timeout: 30_000 })
  await expect(row(ben, 'General')).toBeVisible()
  await openChannel(ben, 'Tools')
  await say(ben, 'a drill, anybody?')
  await openChannel(ada, 'Tools')
  await expect.poll(() => texts(ada)).toEqual(['a drill, anybody?'])

  await openSpace(ada)
  await ada.getByRole('button', { name: 'Add people' }).click()
  await ada.getByRole('checkbox', { name: 'Cleo' }).check()
  await ada.getByRole('button', { name: 'Add people' }).click()
  await expect(members(ada)).toHaveCount(3, { timeout: 30_000 })
  await expect(space(cleo)).toBeVisible({ timeout: 30_000 })
  await openChannel(cleo, 'Tools')
  await say(cleo, 'here is mine')
  await expect.poll(() => texts(ben)).toEqual(['a drill, anybody?', 'here is mine'])

  await cleo.getByRole('button', { name: 'Details of this conversation' }).click()
  await expect(cleo.getByText('Members and roles are those of the space')).toBeVisible()
  await expect(cleo.getByRole('button', { name: 'Add people' })).toHaveCount(0)
  await expect(members(cleo)).toHaveCount(3)
  await cleo.getByRole('link', { name: /^In the space .*Sheds/ }).click()
  await expect(cleo.getByRole('heading', { name: 'Channels: 2' })).toBeVisible()

  await space(cleo).focus()
  await cleo.keyboard.press('ArrowLeft')
  await expect(space(cleo)).toHaveAttribute('aria-expanded', 'false')
  await expect(row(cleo, 'Tools')).toHaveCount(0)
  await say(ben, 'folded away')
  await expect(space(cleo)).toContainText('1', { timeout: 30_000 })
  await cleo.reload()
  await expect(space(cleo)).toHaveAttribute('aria-expanded', 'false')
  await space(cleo).focus()
  await cleo.keyboard.press('ArrowRight')
  await cleo.keyboard.press('ArrowDown')
  await cleo.keyboard.press('ArrowDown')
  await cleo.keyboard.press('Enter')
  await expect(cleo.getByRole('heading', { name: 'Tools' })).toBeVisible()

  await ada.getByRole('button', { name: 'Remove Cleo' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Remove Cleo?' })
  await expect(dialog).toContainText('They are taken out of all of its channels')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(members(ada)).toHaveCount(2, { timeout: 30_000 })
  await expect(cleo.getByText('You were taken out of this conversation.')).toBeVisible({ timeout: 150_000 })
  await say(ben, 'only the two of us now')
  await openChannel(ada, 'Tools')
  await expect.poll(async () => (await texts(ada)).at(-1)).toBe('only the two of us now')
  await expect(cleo.getByText('only the two of us now')).toHaveCount(0)

  await ben.getByRole('button', { name: 'Back', exact: true }).click()
  await openSpace(ben)
  await ben.getByRole('button', { name: 'Leave the space' }).click()
  await ben.getByRole('dialog').getByRole('button', { name: 'Leave the space' }).click()
  await openSpace(ada)
  await expect(members(ada)).toHaveCount(1, { timeout: 60_000 })
})
