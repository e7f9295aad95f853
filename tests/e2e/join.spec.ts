import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, makeIdentity, openChannel, paste, row, say, texts } from './person.ts'

const openDetails = (page: Page) => page.getByRole('button', { name: 'Details of this conversation' }).click()
const members = (page: Page) => page.getByTestId('member')

/** A group with one other person in it, who was met by an invitation. */
async function makeGroup(ada: Page, ben: Page, title: string, name = ''): Promise<void> {
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'hello from Ben')
  await expect(row(ada, 'Ben')).toContainText('hello from Ben')
  await ada.getByRole('button', { name: 'New group' }).click()
  await ada.getByLabel('Name of the group').fill(title)
  await ada.getByLabel('A name to be found by').fill(name)
  await ada.getByRole('checkbox', { name: 'Ben' }).check()
  await ada.getByRole('button', { name: 'Make the group' }).click()
  await expect(ada.getByRole('heading', { name: title })).toBeVisible()
}

async function linkInto(page: Page, choice: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite by link' }).click()
  await expect(page.getByText('also if it was passed on')).toBeVisible()
  await page.getByRole('radio', { name: choice }).check()
  await page.getByRole('button', { name: 'Make a link' }).click()
  const field = page.getByRole('textbox', { name: 'Invitation link' })
  await expect(field).toHaveValue(/\/i#/)
  return field.inputValue()
}

test('[C-12] a web app invites an extension into a group: it sees so first, is asked about, and comes in', async ({
  web,
  extension,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  await makeGroup(ada, ben, 'Roof')
  await openDetails(ada)
  const link = await linkInto(ada, 'Ask me first')
  await expect(ada.getByTestId('into')).toHaveText('Into ⁨Roof⁩ · Ask me first')

  const { sidepanel } = await extension('cleo')
  const cleo = await sidepanel()
  await makeIdentity(cleo, 'Cleo')
  await paste(cleo, link)
  await expect(cleo.getByTestId('preview')).toContainText('Ada')
  await expect(cleo.getByTestId('preview')).toContainText('into the group')
  await expect(cleo.getByTestId('preview')).toContainText('is asked whether you may come into the group')
  await cleo.getByRole('button', { name: 'Accept', exact: true }).click()
  await say(cleo, 'may I?')

  await expect(row(ada, 'Cleo')).toContainText('may I?', { timeout: 30_000 })
  await expect(row(ada, 'Roof')).toContainText('Asking to come in: 1') // wherever one is just now
  await openChannel(ada, 'Roof')
  await ada.getByTestId('asking').getByRole('link', { name: 'Answer' }).click()
  await expect(members(ada)).toHaveCount(2)
  await ada.getByRole('button', { name: 'Let in Cleo' }).click()
  await expect(members(ada)).toHaveCount(3, { timeout: 30_000 })
  await cleo.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(row(cleo, 'Roof')).toBeVisible({ timeout: 30_000 })
  await openChannel(cleo, 'Roof')
  await say(cleo, 'thanks, all')
  await expect(row(ben, 'Roof')).toContainText('thanks, all', { timeout: 30_000 })
  await openChannel(ben, 'Roof')
  await expect.poll(() => texts(ben)).toEqual(['thanks, all'])
})

test('[C-12] [C-05] at once: who opens the link is in without another word; once removed, another one asks', async ({
  web,
}) => {
  const [ada, ben, dan] = [await web('ada'), await web('ben'), await web('dan')]
  await makeIdentity(ada, 'Ada')
  await makeGroup(ada, ben, 'Roof')
  await openDetails(ada)
  const link = await linkInto(ada, 'Let them in at once')
  await dan.goto(link)
  await dan.getByLabel('Your name').fill('Dan')
  await dan.getByRole('button', { name: /^Make an identity/ }).click() // whoever comes with a link means it, and still sees what it is
  await expect(dan.getByTestId('preview')).toContainText('you come into the group')
  await dan.getByRole('button', { name: 'Accept', exact: true }).click()
  await expect(row(dan, 'Roof')).toBeVisible({ timeout: 30_000 })
  await expect(ada.getByTestId('into')).toContainText('Has come in', { timeout: 30_000 })

  await openChannel(ada, 'Roof')
  await openDetails(ada)
  const another = await linkInto(ada, 'Let them in at once')
  await openChannel(ada, 'Roof')
  await openDetails(ada)
  await ada.getByRole('button', { name: 'Remove Dan' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Remove from the group' }).click()
  await expect(members(ada)).toHaveCount(2, { timeout: 30_000 })
  await dan.goto(another)
  await dan.getByRole('button', { name: 'Accept', exact: true }).click()
  await expect(dan.getByTestId('preview')).toContainText('you come into the group')
  await dan.getByRole('button', { name: 'Accept', exact: true }).click()
  await expect(ada.getByTestId('join')).toContainText('was removed from it', { timeout: 30_000 })
  await expect(members(ada)).toHaveCount(2)
})

test('[C-09] a group is found by its name; who asks is let in by its owner, and comes in as no stranger', async ({
  web,
}) => {
  const [ada, eva] = [await web('ada'), await web('eva')]
  const name = `stave/e2e/roof-${Date.now().toString(36)}`
  await makeIdentity(ada, 'Ada')
  // Whoever founds something that is found by its name need not know anybody yet.
  await ada.getByRole('button', { name: 'New group' }).click()
  await ada.getByLabel('Name of the group').fill('Roof')
  await ada.getByLabel('A name to be found by').fill(name)
  await ada.getByRole('button', { name: 'Make the group' }).click()
  await openDetails(ada)
  await expect(ada.getByTestId('channel-name')).toContainText(name)

  await makeIdentity(eva, 'Eva')
  await eva.getByRole('button', { name: 'Find a channel' }).first().click()
  const field = eva.getByLabel('Name of the channel')
  await field.fill('roof')
  await eva.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(eva.getByText('This is not a name of three parts.')).toBeVisible()
  await field.fill('stave/e2e/nowhere')
  await eva.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(eva.getByText('There is no channel called stave/e2e/nowhere.')).toBeVisible()
  await field.fill(name)
  await eva.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(eva.getByText('A name proves nothing about who is behind it.')).toBeVisible()
  await eva.getByLabel('Note').fill('I have a ladder')
  await eva.getByRole('button', { name: 'Ask to come in' }).click()
  await expect(eva.getByTestId('asked')).toContainText('Waits for an answer')

  await ada.getByRole('button', { name: 'Back', exact: true }).click()
  await openDetails(ada) // which looks for who asks
  await expect(ada.getByTestId('join')).toContainText('I have a ladder', { timeout: 30_000 })
  await ada.getByRole('button', { name: 'Decline Eva' }).focus()
  await ada.keyboard.press('Enter')
  await expect(ada.getByTestId('join')).toHaveCount(0)
  await expect(ada.getByRole('heading', { name: 'Details' }), 'a keyboard goes on from here').toBeFocused()
  await eva.getByRole('button', { name: /^Forget that you asked/ }).click()
  await field.fill(name)
  await eva.getByRole('button', { name: 'Find', exact: true }).click()
  await eva.getByRole('button', { name: 'Ask to come in' }).click()
  await expect(eva.getByTestId('asked')).toContainText('Waits for an answer')
  await ada.getByRole('button', { name: 'Back', exact: true }).click()
  await openDetails(ada)
  await expect(ada.getByTestId('join')).toHaveCount(1, { timeout: 30_000 })
  await ada.getByRole('button', { name: 'Let in Eva' }).click()
  await expect(members(ada)).toHaveCount(2, { timeout: 30_000 })
  await expect(eva.getByTestId('asked')).toContainText('You are in', { timeout: 30_000 })
  await eva.getByTestId('asked').getByRole('link', { name }).click()
  await say(eva, 'the ladder is here')
  await expect(row(ada, 'Roof')).toContainText('the ladder is here', { timeout: 30_000 })
})
