import type { Page } from '@playwright/test'
import { test as base, expect } from './fixtures.ts'
import { bringIdentity, keepNote, makeIdentity, row } from './person.ts'

/** Passkeys belong to a name, and an address of numbers has none. */
const test = base.extend({
  relay: async ({ relay }, use) => use({ ...relay, url: relay.url.replace('127.0.0.1', 'localhost') }),
})

/** An authenticator of the browser's own that says yes to everything, and gives PRF secrets. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function openSettings(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: new RegExp(`^${name}`) }).click()
}

test('[K-09] [K-03] a passkey brings the identity back to a browser that has lost everything', async ({
  web,
  relay,
}) => {
  const page = await web('ada')
  await addAuthenticator(page)
  await makeIdentity(page, 'Ada')
  await keepNote(page, 'so that its log has begun')
  await openSettings(page, 'Ways in')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.locator('[data-door="passkey"]')).toHaveCount(1)

  await page.goto(`${relay.url}/healthz`)
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: relay.url, storageTypes: 'all' })
  await page.goto(relay.url)
  await bringIdentity(page, 'A passkey')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByTestId('found-name')).toHaveText('Ada')
  await page.getByRole('button', { name: 'Restore on this device' }).click()
  await expect(row(page, 'Notes to self')).toBeVisible()
})

test('[K-10] a passkey opens the lock', async ({ web }) => {
  const page = await web('ada')
  await addAuthenticator(page)
  await makeIdentity(page, 'Ada')
  await openSettings(page, 'App lock')
  await page.getByLabel('A passkey').check()
  await page.getByRole('button', { name: 'Turn the lock on' }).click()
  await page.getByRole('button', { name: 'Lock now' }).click()
  await expect(page.getByRole('heading', { name: 'Stave is locked' })).toBeVisible()
  await page.getByRole('button', { name: 'Unlock with a passkey' }).click()
  await expect(page.getByRole('button', { name: 'Lock now' })).toBeVisible()
})
