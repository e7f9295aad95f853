import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, lines, makeIdentity, openChannel, paste, row, say, texts } from './person.ts'

/** The one who invites has both of the others among their people. */
async function meet(host: Page, guest: Page, name: string): Promise<void> {
  const link = await invite(host)
  await makeIdentity(guest, name)
  await paste(guest, link)
  await say(guest, `hello from ${name}`)
  await expect(row(host, name)).toContainText(`hello from ${name}`)
}

const openDetails = (page: Page) => page.getByRole('button', { name: 'Details of this conversation' }).click()
const members = (page: Page) => page.getByTestId('member')

test('[C-01] [C-02] [C-05] [C-13] three talk in a group; it is renamed; who is removed reads nothing more', async ({
  web,
}) => {
  const [ada, ben, cleo] = [await web('ada'), await web('ben'), await web('cleo')]
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await meet(ada, cleo, 'Cleo')

  await ada.getByRole('button', { name: 'New group' }).click()
  await ada.getByRole('button', { name: 'Make the group' }).click()
  await expect(ada.getByText('Write a name for the group.')).toBeVisible()
  await ada.getByLabel('Name of the group').fill('Roof')
  await ada.getByRole('checkbox', { name: 'Ben' }).check()
  await ada.getByRole('checkbox', { name: 'Cleo' }).check()
  await ada.getByRole('button', { name: 'Make the group' }).click()
  await expect(ada.getByRole('heading', { name: 'Roof' })).toBeVisible()
  await say(ada, 'who has a ladder?')
  for (const page of [ben, cleo]) {
    await expect(row(page, 'Roof')).toContainText('who has a ladder?', { timeout: 30_000 })
    await openChannel(page, 'Roof')
  }
  await say(ben, 'I do')
  await say(cleo, 'me too')
  for (const page of [ada, ben, cleo]) {
    await expect.poll(async () => (await texts(page)).toSorted()).toEqual(['I do', 'me too', 'who has a ladder?'])
  }

  await openDetails(ada)
  await expect(members(ada)).toHaveCount(3)
  await ada.getByRole('button', { name: 'Change name and topic' }).click()
  await ada.getByLabel('Name', { exact: true }).fill('Roof of the shed')
  await ada.getByLabel('Topic').fill('First dry weekend')
  await ada.getByRole('button', { name: 'Save' }).click()
  for (const page of [ada, ben, cleo]) {
    await expect(row(page, 'Roof of the shed')).toBeVisible({ timeout: 30_000 })
  }
  await openDetails(ben)
  await expect(ben.getByText('First dry weekend').last()).toBeVisible()
  await expect(ben.getByRole('button', { name: 'Change name and topic' })).toHaveCount(0)
  await expect(ben.getByRole('button', { name: 'Remove Cleo' })).toHaveCount(0)

  await ada.getByRole('button', { name: 'Remove Cleo' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Remove Cleo?' })
  await expect(dialog).toContainText('What they have already read stays with them.')
  await dialog.getByRole('button', { name: 'Remove from the group' }).click()
  await expect(members(ada)).toHaveCount(2, { timeout: 30_000 })
  await ada.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(ada.getByRole('button', { name: 'Details of this conversation' })).toBeFocused()
  await say(ada, 'only the two of us now')
  await expect(lines(ben).last()).toContainText('only the two of us now', { timeout: 30_000 })

  await expect(cleo.getByText('You were taken out of this conversation.')).toBeVisible({ timeout: 30_000 })
  await expect(cleo.getByRole('textbox', { name: 'Message' })).toHaveCount(0)
  await cleo.reload()
  await expect(lines(cleo).filter({ hasText: 'me too' })).toBeVisible()
  await expect(cleo.getByText('only the two of us now')).toHaveCount(0)
})

test('[C-05] [M-11] a conversation is muted, archived and comes back with something new; who leaves says so', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await openChannel(ada, 'Ben')
  await openDetails(ada)
  await ada.getByRole('button', { name: 'Mute', exact: true }).click()
  await expect(ada.getByText('Muted.')).toBeVisible()
  await ada.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(row(ada, 'Ben')).toHaveCount(0)
  await ada.getByRole('button', { name: 'Archived and blocked (1)' }).click()
  await expect(row(ada, 'Ben')).toBeVisible()
  await ada.getByRole('button', { name: 'Back to the list' }).click()
  await say(ben, 'are you there?')
  await expect(row(ada, 'Ben')).toContainText('are you there?')

  await ada.getByRole('button', { name: 'Leave' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await expect(ada.getByText('You have left this conversation.')).toBeVisible()
  await expect(ben.getByText('The other person has left')).toBeVisible({ timeout: 30_000 })
})
