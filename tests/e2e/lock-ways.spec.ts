import type { BrowserContext, Page } from '@playwright/test'
import { test as base, expect } from './fixtures.ts'
import { makeIdentity } from './person.ts'

/** An address of numbers has no passkeys. */
const test = base.extend({
  relay: async ({ relay }, use) => use({ ...relay, url: relay.url.replace('127.0.0.1', 'localhost') }),
})

const WORDS = 'garlic ivory photo lunar brush north'
const locked = (page: Page) => page.getByRole('heading', { name: 'Stave is locked' })

async function openLock(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: /^App lock/ }).click()
}

async function turnOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Turn the lock on' }).click()
  await expect(page.getByRole('button', { name: 'Lock now' })).toBeVisible()
}

/** Chromium's own authenticator, of the kind that gives secrets. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      hasPrf: true,
    },
  })
}

test('[K-10] a passkey locks and unlocks the web app', async ({ profile, relay }) => {
  const context = await profile('passkey')
  const page = context.pages()[0] ?? (await context.newPage())
  await addAuthenticator(context, page)
  await page.goto(relay.url)
  await makeIdentity(page, 'Ada')
  await openLock(page)
  await page.getByText('A passkey', { exact: true }).click()
  await turnOn(page)
  await page.getByRole('button', { name: 'Lock now' }).click()
  await expect(locked(page)).toBeVisible()
  await page.getByRole('button', { name: 'Unlock with a passkey' }).click()
  await expect(page.getByRole('button', { name: 'Turn the lock off' })).toBeVisible()
  await page.getByRole('button', { name: 'Turn the lock off' }).click()
  await expect(page.getByText('The lock is off.').filter({ visible: true }).first()).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Settings' }).first()).toBeVisible()
})

test('[K-10] the extension stays unlocked when its worker is stopped, and locks for every face', async ({
  extension,
}) => {
  const { sidepanel, popup, stopWorker, context } = await extension()
  const panel = await sidepanel()
  await makeIdentity(panel, 'Ada')
  await openLock(panel)
  await panel.getByLabel('Passphrase for the lock').fill(WORDS)
  await turnOn(panel)
  await stopWorker()
  const face = await popup()
  await expect(face.getByRole('button', { name: 'Invite somebody' }).first()).toBeVisible()

  await panel.getByRole('button', { name: 'Lock now' }).click()
  for (const page of [panel, face]) await expect(locked(page)).toBeVisible()
  await stopWorker()
  await face.getByLabel('Passphrase', { exact: true }).fill(WORDS)
  await face.keyboard.press('Enter')
  for (const page of [panel, face]) await expect(locked(page)).toHaveCount(0)
  const names = await context
    .serviceWorkers()[0]
    ?.evaluate(async () => Object.keys(await chrome.storage.session.get(null)))
  expect(names, 'in memory, and in no other store of the browser').toEqual(['stave-lock'])
})

test('[K-10] a passkey locks and unlocks the extension', async ({ extension }) => {
  const { sidepanel, context } = await extension()
  const panel = await sidepanel()
  await addAuthenticator(context, panel)
  await makeIdentity(panel, 'Ada')
  await openLock(panel)
  await panel.getByText('A passkey', { exact: true }).click()
  await turnOn(panel)
  await panel.getByRole('button', { name: 'Lock now' }).click()
  await expect(locked(panel)).toBeVisible()
  await panel.getByRole('button', { name: 'Unlock with a passkey' }).click()
  await expect(locked(panel)).toHaveCount(0)
})
