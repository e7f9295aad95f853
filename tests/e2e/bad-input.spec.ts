import type { Page } from '@playwright/test'
import { startRelay } from '../../scripts/relay.mjs'
import { expect, test } from './fixtures.ts'
import { composer, invite, makeIdentity, paste } from './person.ts'

const alert = (page: Page, text: string | RegExp) => page.getByText(text).first()

test('[C-12] a used, revoked, truncated, foreign or false invitation is named, and changes nothing', async ({
  web,
  folder,
}) => {
  const [ada, ben, eve] = [await web('ada'), await web('ben'), await web('eve')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await makeIdentity(eve, 'Eve')
  await paste(ben, link)
  await expect(composer(ben)).toBeVisible()

  const refusals: [string, RegExp][] = [
    [link, /was used already/],
    [link.slice(0, -20), /A part of this link is missing/],
    ['https://example.org/', /not an invitation link/],
  ]
  await eve.getByRole('button', { name: 'I have an invitation' }).first().click()
  const field = eve.getByRole('textbox', { name: 'Invitation link' })
  const tryLink = async (text: string, sentence: RegExp): Promise<void> => {
    await field.fill(text)
    await eve.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect(alert(eve, sentence)).toBeVisible()
  }
  for (const [text, sentence] of refusals) await tryLink(text, sentence)

  await ada.getByRole('button', { name: /^Make an(other| invitation)/ }).click()
  await expect(ada.getByRole('textbox', { name: 'Invitation link' }).first()).not.toHaveValue(link)
  const second = await ada.getByRole('textbox', { name: 'Invitation link' }).first().inputValue()
  await ada.getByRole('button', { name: 'Revoke' }).first().click()
  await tryLink(second, /was taken back|doesn’t know this invitation/)

  const other = await startRelay({ data: folder('other') })
  try {
    const { noiseKey } = (await (await fetch(`${other.url}/realm.json`)).json()) as { noiseKey: string }
    const [start = '', ...rest] = link.split('#1.')
    const foreign = `${start.replace(/:\d+/, new URL(other.url).port.replace(/^/, ':'))}#1.${noiseKey}.${rest.join('').split('.').slice(1).join('.')}`
    await tryLink(foreign, /belongs to another relay/)
  } finally {
    await other.stop()
  }
  await eve.goto(new URL('/', eve.url()).href)
  await expect(eve.getByText('Nobody is here yet.')).toBeVisible()
})

test('[U-07] evicted in part, the data are never replaced by a quiet new identity', async ({ web }) => {
  const page = await web('ada')
  await makeIdentity(page, 'Ada')
  const remove = (name: string) =>
    page.evaluate(
      (database) =>
        new Promise((resolve, reject) => {
          const asked = indexedDB.deleteDatabase(database)
          asked.onsuccess = () => resolve(undefined)
          asked.onerror = () => reject(asked.error)
        }),
      name,
    )
  await page.goto(new URL('/icon.svg', page.url()).href) // of the origin, and runs nothing of ours
  await remove('stave')
  await page.goto(new URL('/', page.url()).href)
  await expect(page.getByRole('heading', { name: 'Your stored data are gone' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Make an identity/ })).toHaveCount(0)
})

test('[U-07] keys that are gone are named, and the rows stay where they are', async ({ web }) => {
  const page = await web('ada')
  await makeIdentity(page, 'Ada')
  await page.goto(new URL('/icon.svg', page.url()).href)
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.deleteDatabase('stave-keys').onsuccess = () => resolve(undefined)
      }),
  )
  await page.goto(new URL('/', page.url()).href)
  await expect(page.getByRole('heading', { name: 'The keys to your data are gone' })).toBeVisible()
})

test('[T-01] a relay with another key is refused and named; what is written waits', async ({ web, relay, folder }) => {
  const page = await web('ada')
  await makeIdentity(page, 'Ada')
  await invite(page)
  const port = Number(new URL(relay.url).port)
  await relay.stop()
  const impostor = await startRelay({ data: folder('impostor'), port })
  try {
    await expect(page.getByText('The relay is not the one you know.').first()).toBeVisible({ timeout: 40_000 })
  } finally {
    await impostor.stop()
  }
})
