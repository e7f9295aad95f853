import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.mjs'

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('playwright-core').BrowserContext} Context
 */
const EXTENSION = resolve(import.meta.dirname, '../../dist/extension/chrome-mv3')
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']

/** A folder that is gone when `act` is done. @template T @param {string} name @param {(folder: string) => Promise<T>} act */
export async function inFolder(name, act) {
  const folder = mkdtempSync(join(tmpdir(), `stave-bench-${name}-`))
  try {
    return await act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Browser profiles on disk, as people have them; all are closed when `act` is done. @template T @param {readonly string[]} names @param {(contexts: Context[]) => Promise<T>} act @returns {Promise<T>} */
export async function inProfiles(names, act, withExtension = false) {
  const extension = withExtension ? [`--disable-extensions-except=${EXTENSION}`, `--load-extension=${EXTENSION}`] : []
  /** @type {Context[]} */
  const contexts = []
  return inFolder('profiles', async (folder) => {
    try {
      for (const name of names)
        contexts.push(
          await chromium.launchPersistentContext(join(folder, name), {
            executablePath: findChromium() ?? '',
            headless: true,
            viewport: { width: 1100, height: 760 },
            args: [...FLAGS, ...extension],
          }),
        )
      return await act(contexts)
    } finally {
      for (const context of contexts) await context.close()
    }
  })
}

/** @type {WeakMap<Page, Promise<import('playwright-core').CDPSession>>} */
const sessions = new WeakMap()

/** Evaluates as the developer tools do: no policy of the page is asked. @param {Page} page @param {string} expression @returns {Promise<unknown>} */
export async function evaluate(page, expression) {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  const { result, exceptionDetails } = await (await session).send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

/** @param {Page} page @param {string} expression @returns {Promise<number>} */
export async function evaluateNumber(page, expression) {
  const value = await evaluate(page, expression)
  if (typeof value !== 'number') throw new Error(`not a number: ${expression}`)
  return value
}

/** @param {Page} page @param {string} name */
export async function makeIdentity(page, name) {
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: /^Make an identity/ }).click()
  await page.getByRole('button', { name: 'Later' }).click()
}

/** @param {Page} inviter @param {Page} claimer */
export async function meet(inviter, claimer) {
  await inviter.getByRole('button', { name: 'Invite somebody' }).first().click()
  await inviter.getByRole('button', { name: /^Make an(other| invitation)/ }).click()
  const link = await inviter.getByRole('textbox', { name: 'Invitation link' }).inputValue()
  await claimer.getByRole('button', { name: 'I have an invitation' }).first().click()
  await claimer.getByRole('textbox', { name: 'Invitation link' }).fill(link)
  await claimer.getByRole('button', { name: 'Accept', exact: true }).click()
  await composer(claimer).waitFor()
  await inviter.locator('.channel-row').filter({ hasNotText: 'Notes to self' }).first().click()
  await composer(inviter).waitFor()
}

/** @param {Page} page */
export function composer(page) {
  return page.getByRole('textbox', { name: 'Message' })
}

/** @param {Context} context @returns {Promise<string>} */
export async function extensionIdOf(context) {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  return new URL(worker.url()).host
}

/** As the browser does at any moment. @param {Context} context @param {string} id of the extension */
export async function stopWorker(context, id) {
  const page = await context.newPage()
  await page.goto(`chrome-extension://${id}/manifest.json`) // of the extension's origin, and wakes nothing
  const session = await context.newCDPSession(page)
  const stopped = new Promise((/** @type {(value?: undefined) => void} */ done) => {
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      if (versions.some(({ scriptURL, runningStatus }) => scriptURL.includes(id) && runningStatus === 'stopped')) done()
    })
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await stopped
  await page.close()
}
