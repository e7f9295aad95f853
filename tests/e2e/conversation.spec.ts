import { expect, test } from './fixtures.ts'
import { composer, invite, lines, makeIdentity, mine, openChannel, paste, row, say, texts } from './person.ts'

test('[K-01] [K-02] [C-12] [M-10] two people meet in the web app and talk, to delivered', async ({ web }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await expect(ada.getByRole('img', { name: /^QR code/ })).toBeVisible()
  expect(new URL(link).pathname + new URL(link).search, 'secrets are in the fragment alone').toBe('/i')

  const ben = await web('ben', { path: new URL(link).pathname + new URL(link).hash })
  expect(ben.url(), 'the secret is gone from the address bar').not.toContain('#')
  await makeIdentity(ben, 'Ben')
  await expect(ben.getByRole('heading', { name: 'Ada' })).toBeVisible()

  const first = 'שלום, مرحبا, こんにちは, 👩‍👩‍👧 and  two spaces'
  await say(ben, first)
  await expect(mine(ben, 'delivered')).toHaveCount(1)
  await expect(row(ada, 'Ben')).toContainText('1 unread message')
  await openChannel(ada, 'Ben')
  await expect(lines(ada)).toHaveText([/שלום/])
  expect(await texts(ada)).toEqual([first])
  await say(ada, 'hello yourself')
  await expect(lines(ben).last()).toContainText('hello yourself')
  await expect(mine(ada, 'delivered')).toHaveCount(1)
})

test('[M-01] carries 64 KiB of text, and says what is too long before it is sent', async ({ web }) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const ben = await web('ben', { path: new URL(await invite(ada)).pathname })
  await makeIdentity(ben, 'Ben')
  await paste(ben, await ada.getByRole('textbox', { name: 'Invitation link' }).inputValue())
  await expect(composer(ben)).toBeVisible()

  const long = 'ä'.repeat(32 * 1024)
  await composer(ben).fill(`${long}b`)
  await composer(ben).press('Enter')
  await expect(ben.getByText(/Too long by 1 byte/)).toBeVisible()
  await expect(composer(ben)).toHaveValue(`${long}b`)
  await say(ben, long)
  await expect(mine(ben, 'delivered')).toHaveCount(1)
  await openChannel(ada, 'Ben')
  await ada.getByRole('button', { name: 'Show all' }).click()
  expect(await texts(ada)).toEqual([long])
})

test('[K-02] the words are shown on purpose, checked by asking some back, and then forgotten by the device', async ({
  web,
}) => {
  const page = await web('ada')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Make an identity' }).click()
  await expect(page.getByText('Whoever has these words has everything.')).toBeVisible()
  await page.getByRole('button', { name: 'Show the words' }).click()
  const shown = page.locator('.phrase-word')
  await expect(shown).toHaveCount(24)
  const words = await shown.allInnerTexts()
  await page.getByRole('button', { name: 'I have written them down' }).click()

  const fields = page
    .getByRole('textbox', { name: /^Word \d+$/ })
    .or(page.getByRole('combobox', { name: /^Word \d+$/ }))
  await expect(fields).toHaveCount(3)
  const positions = await fields.evaluateAll((all) =>
    all.map((field) => Number((field as HTMLInputElement).labels?.[0]?.textContent?.match(/\d+/)?.[0])),
  )
  await fields.nth(0).fill('zoo')
  await fields.nth(1).fill('zoo')
  await fields.nth(2).fill('zoo')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByText(/Word \d+ is not the right one/)).toBeVisible()
  for (const [i, position] of positions.entries()) await fields.nth(i).fill(` ${words[position - 1]?.toUpperCase()} `)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Backed up' })).toBeVisible()
})
