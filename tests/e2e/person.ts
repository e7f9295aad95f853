import { expect, type Locator, type Page } from '@playwright/test'

/** What a person does, by roles and names alone, in the web app, the popup or the side panel. */

export async function makeIdentity(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: /^Make an identity/ }).click()
  const later = page.getByRole('button', { name: 'Later' })
  await expect(later.or(composer(page))).toBeVisible() // with an invitation waiting, the conversation comes first
  if (await later.isVisible()) await later.click()
}

/** The backup ceremony (K-02). @returns the words, as they are on the paper now */
export async function backUp(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: /^Backup/ }).click()
  await page.getByRole('button', { name: 'Show the words' }).click()
  await expect(page.locator('.phrase-word')).toHaveCount(24)
  const words = await page.locator('.phrase-word').allInnerTexts()
  await page.getByRole('button', { name: 'I have written them down' }).click()
  const fields = page.getByLabel(/^Word \d+$/)
  await expect(fields).toHaveCount(3)
  for (const field of await fields.all()) {
    const number = Number((await labelOf(field)).replace(/\D/g, ''))
    await field.fill(words[number - 1] ?? '')
  }
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  return words
}

const labelOf = (field: Locator) =>
  field.evaluate((input) => (input as HTMLInputElement).labels?.[0]?.textContent ?? '')

/** On a device that has no identity yet. */
export async function bringIdentity(page: Page, way: string): Promise<void> {
  await page.getByRole('button', { name: 'I have an identity already' }).click()
  await page.getByRole('link', { name: new RegExp(`^${way}`) }).click()
}

/** Written down, and in the account's log: so is the account's name then (L-01). */
export async function keepNote(page: Page, text: string): Promise<void> {
  await openChannel(page, 'Notes to self')
  await say(page, text)
  await expect(mine(page, 'sent')).toHaveCount(1)
}

/** On the device that holds the words. */
export async function joinLink(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: /^Devices/ }).click()
  await page.getByRole('button', { name: 'Link a device' }).click()
  await page.getByLabel('Code or link of the new device').fill(code)
  await page.getByRole('button', { name: 'Link this code' }).click()
}

/** Both screens show the same twelve digits (K-06). */
export async function bothCompare(one: Page, two: Page): Promise<void> {
  const digits = (page: Page) => page.getByTestId('digits').textContent()
  for (const page of [one, two]) await expect(page.getByTestId('digits')).toBeVisible({ timeout: 30_000 })
  expect(await digits(one)).toMatch(/\d{4} \d{4} \d{4}/)
  expect(await digits(one)).toBe(await digits(two))
}

/** @returns the link, and leaves the page with it and its QR code on the screen */
export async function invite(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Invite somebody' }).first().click()
  await page.getByRole('button', { name: /^Make an(other| invitation)/ }).click()
  const field = page.getByRole('textbox', { name: 'Invitation link' })
  await expect(field).toHaveValue(/\/i#/)
  return field.inputValue()
}

export async function paste(page: Page, link: string): Promise<void> {
  await page.getByRole('button', { name: 'I have an invitation' }).first().click()
  await page.getByRole('textbox', { name: 'Invitation link' }).fill(link)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
}

export async function openChannel(page: Page, title: string): Promise<void> {
  await row(page, title).click()
  await expect(composer(page)).toBeVisible()
}

export function row(page: Page, title: string): Locator {
  return page.locator('.channel-row').filter({ hasText: title })
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message' })
}

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
  await expect(composer(page)).toHaveValue('')
}

export function lines(page: Page): Locator {
  return page.getByTestId('line')
}

/** Every text line, in order: as the document has it, since a line not drawn yet (content-visibility) has no inner text. */
export async function texts(page: Page): Promise<string[]> {
  return lines(page).locator('.line-body').allTextContents()
}

export function mine(page: Page, state: 'waiting' | 'sent' | 'delivered' | 'failed'): Locator {
  return page.locator(`[data-testid="line"][data-line-state="${state}"]`)
}
