import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, makeIdentity, openChannel, paste, row, say, texts } from './person.ts'

const LONG = { timeout: 60_000 }
const members = (page: Page) => page.getByTestId('member')

async function meet(host: Page, guest: Page, name: string): Promise<void> {
  const link = await invite(host)
  await makeIdentity(guest, name)
  await paste(guest, link)
  await say(guest, `hello from ${name}`)
  await expect(row(host, name)).toContainText(`hello from ${name}`, LONG)
}

async function openDetails(page: Page, title: string): Promise<void> {
  await openChannel(page, title)
  await page.getByRole('button', { name: 'Details of this conversation' }).click()
}

async function back(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Back', exact: true }).click()
}

const sorted = async (page: Page) => (await texts(page)).toSorted()

test('[C-01] [C-03] [C-04] [I-14] [I-15] five people: all write at once, roles change hands, somebody is offline, the busiest leaves, and all have one view', async ({
  web,
  extension,
}) => {
  test.setTimeout(480_000)
  const [ada, ben, cleo, dan] = [await web('ada'), await web('ben'), await web('cleo'), await web('dan')]
  const eva = await (await extension('eva')).sidepanel()
  await makeIdentity(ada, 'Ada')
  for (const [page, name] of [
    [ben, 'Ben'],
    [cleo, 'Cleo'],
    [dan, 'Dan'],
    [eva, 'Eva'],
  ] as const) {
    await meet(ada, page, name)
  }

  await ada.getByRole('button', { name: 'New group' }).click()
  await ada.getByLabel('Name of the group').fill('Roof')
  for (const name of ['Ben', 'Cleo', 'Dan', 'Eva']) await ada.getByRole('checkbox', { name }).check()
  await ada.getByRole('button', { name: 'Make the group' }).click()
  await say(ada, 'welcome')
  await eva.getByRole('button', { name: 'Back', exact: true }).click()
  const others = [ben, cleo, dan, eva]
  for (const page of others) await expect(row(page, 'Roof')).toContainText('welcome', LONG)
  for (const page of others) await openChannel(page, 'Roof')

  // Everybody at once, while the newcomers' first commits are still on their way (C-03).
  const all = [ada, ...others]
  await Promise.all(all.map((page, i) => say(page, `all at once ${i}`)))
  const first = ['welcome', ...all.map((_, i) => `all at once ${i}`)].toSorted()
  for (const page of all) await expect.poll(() => sorted(page), LONG).toEqual(first)
  const order = await texts(ada)
  for (const page of others) expect(await texts(page)).toEqual(order)

  await openDetails(ada, 'Roof')
  await ada.getByLabel('Role of Ben').selectOption('owner')
  await expect(members(ada).filter({ hasText: 'Ben' })).toHaveAttribute('data-role', 'owner', LONG)
  await ada.getByLabel('Role of Cleo').selectOption('admin')
  await expect(members(ada).filter({ hasText: 'Cleo' })).toHaveAttribute('data-role', 'admin', LONG)

  // Dan is offline while two rename it at the same moment, and Ada, who made every commit so far, leaves for good (I-15).
  await dan.context().setOffline(true)
  for (const page of [ben, cleo]) {
    await openDetails(page, 'Roof')
    await page.getByRole('button', { name: 'Change name and topic' }).click(LONG)
  }
  await ben.getByLabel('Topic').fill('First dry weekend')
  await cleo.getByLabel('Name', { exact: true }).fill('Roof of the shed')
  await Promise.all([ben, cleo].map((page) => page.getByRole('button', { name: 'Save' }).click()))
  for (const page of [ada, ben, cleo]) await expect(row(page, 'Roof of the shed')).toBeVisible(LONG)
  await ada.getByRole('button', { name: 'Leave' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await expect(ada.getByText('You have left this conversation.')).toBeVisible()
  await expect(members(ben)).toHaveCount(4, LONG)

  for (const page of [ben, cleo]) await back(page)
  await say(dan, 'written on the train')
  await say(ben, 'Ada is gone')
  await say(eva, 'we go on')
  await dan.context().setOffline(false)
  const rest = [...first, 'Ada is gone', 'we go on', 'written on the train'].toSorted()
  for (const page of others) await expect.poll(() => sorted(page), LONG).toEqual(rest)
  const finalOrder = await texts(ben)
  for (const page of others) expect(await texts(page)).toEqual(finalOrder)
  for (const page of [ben, cleo, dan]) await expect(row(page, 'Roof of the shed')).toBeVisible()
  expect(await sorted(ada)).toEqual(first)

  await openDetails(dan, 'Roof of the shed')
  await expect(dan.getByText('First dry weekend').last()).toBeVisible()
  await expect(members(dan)).toHaveCount(4)
  await expect(members(dan).filter({ hasText: 'Ben' })).toContainText('Owner')
  await expect(members(dan).filter({ hasText: 'Cleo' })).toContainText('Admin')
})
