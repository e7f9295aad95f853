import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, lines, makeIdentity, openChannel, paste, row, say } from './person.ts'

async function openPerson(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'People' }).click()
  await page.getByTestId('person').filter({ hasText: name }).getByRole('link').click()
  await expect(page.getByTestId('safety-number')).toBeVisible()
}

const groups = (page: Page) => page.getByTestId('safety-number').getByRole('listitem').allInnerTexts()
const code = (page: Page) => page.getByRole('textbox', { name: 'Code of your safety number' }).inputValue()

test('[K-11] two people compare the same number, and each says for themselves that the other is verified', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'hello')
  await expect(row(ada, 'Ben')).toContainText('hello')

  await openPerson(ada, 'Ben')
  await openPerson(ben, 'Ada')
  const number = await groups(ada)
  expect(number).toHaveLength(12)
  for (const group of number) expect(group).toMatch(/^\d{5}$/)
  expect(await groups(ben)).toEqual(number)
  await expect(ada.getByText('Not verified yet.')).toBeVisible()

  await ada.getByLabel('Code from their screen').fill('not a code')
  await ada.getByRole('button', { name: 'Compare' }).click()
  await expect(ada.getByRole('alert').filter({ hasText: 'This is not a code to compare.' })).toBeVisible()
  await ada.getByLabel('Code from their screen').fill(await code(ben))
  await ada.getByRole('button', { name: 'Compare' }).click()
  await expect(ada.getByText('It is the same. They are verified now.')).toBeVisible()
  await expect(ada.getByText(/^You verified them on/)).toBeVisible()
  await expect(ben.getByText('Not verified yet.')).toBeVisible()
  await ben.getByRole('button', { name: 'The numbers are the same' }).click()
  await expect(ben.getByText(/^You verified them on/)).toBeVisible()

  await ada.reload()
  await expect(ada.getByText(/^You verified them on/)).toBeVisible()
  await ada.getByRole('button', { name: 'Not verified any more' }).click()
  await expect(ada.getByText('Not verified yet.')).toBeVisible()
})

test('[M-11] what a blocked person writes is not shown, and is there again afterwards', async ({ web }) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'hello')
  await expect(row(ada, 'Ben')).toContainText('hello')

  await openPerson(ada, 'Ben')
  await ada.getByRole('button', { name: 'Block', exact: true }).click()
  await ada.getByRole('dialog', { name: 'Block Ben?' }).getByRole('button', { name: 'Block' }).click()
  await expect(ada.getByRole('button', { name: 'Unblock' })).toBeVisible()
  await expect(row(ada, 'Ben')).toHaveCount(0)
  await say(ben, 'can you hear me?')
  await ada.getByRole('button', { name: 'Unblock' }).click()
  await openChannel(ada, 'Ben')
  await expect(lines(ada).last()).toContainText('can you hear me?', { timeout: 30_000 })
})

test('[M-09] the page of keys and gaps says that all is well, and opens a conversation', async ({ web }) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'hello')
  await expect(row(ada, 'Ben')).toContainText('hello')
  await ada.getByRole('button', { name: 'Settings' }).first().click()
  await ada.getByRole('link', { name: /^Keys and gaps/ }).click()
  await expect(ada.getByText('Nothing is missing, and every key is as it should be.')).toBeVisible()
  await ada.getByTestId('health').getByRole('link', { name: 'Ben' }).click()
  await expect(lines(ada).last()).toContainText('hello')
})
