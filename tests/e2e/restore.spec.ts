import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  backUp,
  bothCompare,
  bringIdentity,
  invite,
  joinLink,
  keepNote,
  lines,
  makeIdentity,
  mine,
  openChannel,
  paste,
  row,
  say,
  texts,
} from './person.ts'

const lookUp = (page: Page) => page.getByRole('button', { name: 'Look up' }).click()
const restore = (page: Page) => page.getByRole('button', { name: 'Restore on this device' }).click()

test('[K-02] [K-03] [L-01] [C-07] the words alone bring back name, people and history, and the device talks on', async ({
  web,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const words = await backUp(ada)
  const link = await invite(ada)
  const ben = await web('ben', { path: new URL(link).pathname + new URL(link).hash })
  await makeIdentity(ben, 'Ben')
  for (const text of ['one', 'two', 'three']) await say(ben, text)
  await openChannel(ada, 'Ben')
  await say(ada, 'four')
  await expect(mine(ada, 'delivered')).toHaveCount(1)
  await openChannel(ada, 'Notes to self')
  await say(ada, 'the key hangs in the shed')
  await expect(mine(ada, 'sent')).toHaveCount(1)

  const other = await web('other')
  await bringIdentity(other, 'My 24 words')
  await other.getByLabel('Word 1', { exact: true }).fill(words.map((word) => word.toUpperCase()).join('\n'))
  await lookUp(other)
  await expect(other.getByTestId('found-name')).toHaveText('Ada')
  await restore(other)
  await expect(row(other, 'Notes to self')).toContainText('the key hangs in the shed')
  await openChannel(other, 'Ben')
  await expect.poll(() => texts(other)).toEqual(['one', 'two', 'three', 'four'])
  await say(other, 'from the new device')
  await expect(lines(ben).last()).toContainText('from the new device', { timeout: 30_000 })
  await openChannel(ada, 'Ben')
  await expect(lines(ada).last()).toContainText('from the new device', { timeout: 30_000 })
  await say(ben, 'to both')
  for (const page of [ada, other]) await expect(lines(page).last()).toContainText('to both')
})

test('[K-03] [U-01] what a web app had comes back in an extension, in the side panel', async ({
  web,
  extension,
  relay,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const words = await backUp(ada)
  await openChannel(ada, 'Notes to self')
  await say(ada, 'the key hangs in the shed')
  await expect(mine(ada, 'sent')).toHaveCount(1)

  const { sidepanel } = await extension('other')
  const panel = await sidepanel()
  await bringIdentity(panel, 'My 24 words')
  await panel.getByLabel('Address of your relay').fill(relay.url)
  await panel.getByLabel('Word 1', { exact: true }).fill(words.join(' '))
  await lookUp(panel)
  await expect(panel.getByTestId('found-name')).toHaveText('Ada')
  await restore(panel)
  await expect(row(panel, 'Notes to self')).toContainText('the key hangs in the shed', { timeout: 30_000 })
})

test('[K-03] a wrong word is named, and words that nobody has make nothing', async ({ web }) => {
  const page = await web('a')
  await bringIdentity(page, 'My 24 words')
  const words = [...Array.from({ length: 23 }, () => 'abandon'), 'art']
  await page.getByLabel('Word 1', { exact: true }).fill(words.with(6, 'gardin').join(' '))
  await lookUp(page)
  await expect(page.getByText(/^Word 7 is not in the list/)).toBeVisible()
  await page.getByRole('button', { name: 'garden', exact: true }).click()
  await lookUp(page)
  await expect(page.getByText(/don’t belong together/)).toBeVisible()
  await page.getByLabel('Word 7', { exact: true }).fill('abandon')
  await lookUp(page)
  await expect(page.getByText(/^No identity was found/)).toBeVisible()
  await page.reload()
  await page.goto(new URL('/', page.url()).href)
  await expect(page.getByLabel('Your name'), 'nothing was made').toBeVisible()
})

test('[K-09] a passphrase and its card open the vault on a new device', async ({ web }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  await keepNote(ada, 'so that its log has begun')
  await openSettings(ada, 'Ways in')
  await ada.getByRole('button', { name: 'Suggest six words' }).click()
  const field = ada.getByRole('textbox', { name: 'Passphrase' })
  await expect(field).toHaveValue(/^\w+(\W+\w+){5}$/)
  const passphrase = await field.inputValue()
  await ada.getByRole('button', { name: 'Add passphrase' }).click()
  const card = await ada.getByRole('textbox', { name: 'Card' }).inputValue()
  expect(card).toMatch(/^stave-card:/)
  await ada.getByRole('button', { name: 'I have kept the card' }).click()
  await expect(ada.locator('[data-door="passphrase"]')).toHaveCount(1)

  const other = await web('other')
  await bringIdentity(other, 'A passphrase and its card')
  await other.getByLabel('Card', { exact: true }).fill(card)
  await other.getByLabel('Passphrase', { exact: true }).fill(`${passphrase}x`)
  await lookUp(other)
  await expect(other.getByText(/^This is not the passphrase/)).toBeVisible()
  await other.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await lookUp(other)
  await expect(other.getByTestId('found-name')).toHaveText('Ada')
  await restore(other)
  await expect(row(other, 'Notes to self')).toBeVisible()
  await expect(other.getByText(/^This device can read/)).toBeVisible()
  await other.getByRole('button', { name: 'Link this device' }).click()
  await other.getByRole('button', { name: 'Show the code' }).click()
  await joinLink(ada, (await other.getByTestId('link-code').textContent()) ?? '')
  await bothCompare(ada, other)
  for (const page of [ada, other]) await page.getByRole('button', { name: 'They match' }).click()
  await expect(other.getByText('This device takes part from now on.')).toBeVisible({ timeout: 30_000 })
  await other.getByRole('button', { name: 'Done' }).click()
  await expect(other.getByText(/^This device can read/)).toHaveCount(0)
})

test('[L-03] [U-06] an archive that one device writes is read by another', async ({ web, folder }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const ben = await web('ben')
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await say(ben, 'worth keeping')
  await openChannel(ada, 'Ben')
  await expect(lines(ada)).toHaveText([/worth keeping/])
  await openSettings(ada, 'Archive')
  const passphrase = 'six plain words in a row'
  await ada.getByLabel('Passphrase of the archive').fill(passphrase)
  const download = ada.waitForEvent('download')
  await ada.getByRole('button', { name: 'Export', exact: true }).click()
  const file = `${folder('archive')}/stave.age`
  await (await download).saveAs(file)

  const other = await web('other')
  await makeIdentity(other, 'Other')
  await openSettings(other, 'Archive')
  await other.getByLabel('Archive file').setInputFiles(file)
  await other.getByLabel('Passphrase it was exported with').fill('not this one at all')
  await other.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(other.getByText(/doesn’t open the archive/)).toBeVisible()
  await other.getByLabel('Passphrase it was exported with').fill(passphrase)
  await other.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(other.getByText('All of the archive is here now.')).toBeVisible()
  await row(other, 'Ben').click()
  await expect(lines(other)).toHaveText([/worth keeping/])
})

async function openSettings(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: new RegExp(`^${name}`) }).click()
}
