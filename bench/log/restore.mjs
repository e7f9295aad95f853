import { evaluate, evaluateNumber, inProfiles } from '../support/browser.mjs'
import { importBundled, scriptOf } from '../support/bundle.mjs'
import { figure } from '../support/stats.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ foundMs: number, listMs: number, wholeMs: number, stored: number, bytes: number, entries: number }} Restored
 */
const LIST_GOAL_MS = 2_000
const WHOLE_GOAL_MS = 60_000

/** From the words to a list that can be read, and to all of the history, in the built web app. @param {Place} place @returns {Promise<Outcome>} */
export async function measureRestore({ relayUrl, quick }) {
  const sizes = quick ? [2_000] : [10_000, 100_000]
  const { fill } = /** @type {typeof import('./fill.ts')} */ (await importBundled('log/fill.ts'))
  const tools = await scriptOf('client/page-tools.ts')
  /** @type {[number, Restored][]} */
  const runs = []
  for (const size of sizes) {
    const { words, bytes, entries } = await fill(relayUrl, size)
    await inProfiles([`restore-${size}`], async ([context]) => {
      const page = await context?.newPage()
      if (page === undefined) throw new Error('no page')
      runs.push([size, { ...(await restored(page, relayUrl, words, tools)), bytes, entries }])
    })
  }
  const rate = ([size, { wholeMs }] = /** @type {[number, Restored]} */ (runs.at(-1))) => (size * 1000) / wholeMs
  return {
    ratios: runs.flatMap(([size, { listMs, wholeMs }]) => [
      {
        what: `Restore of ${figure(size)} messages from the words: until the list can be read`,
        value: `${figure(listMs)} ms`,
        goal: '≤ 2 s',
        met: listMs <= LIST_GOAL_MS,
        bound:
          'New keys, the manifest and the vault are written at the realm one after the other before the log is read.',
      },
      {
        what: `The same: until all of it is there`,
        value: `${figure(wholeMs / 1000)} s`,
        goal: '≤ 60 s',
        met: wholeMs <= WHOLE_GOAL_MS,
        bound: 'Pages are opened, merged and written one after the other, in one thread.',
      },
    ]),
    figures: [
      ...runs.flatMap(([size, { foundMs, bytes, entries, stored }]) => [
        { what: `${figure(size)} messages: whose words they are is shown after, ms`, value: figure(foundMs) },
        {
          what: `${figure(size)} messages: bytes of the log a message, in ${figure(entries)} pages`,
          value: figure(bytes / size),
        },
        {
          what: `${figure(size)} messages: on the disk of the device afterwards, bytes a message`,
          value: figure(stored / size),
        },
      ]),
      { what: 'Messages restored a second, largest log', value: figure(rate()) },
    ],
  }
}

/** @param {Page} page @param {string} url @param {string} words @param {string} tools @returns {Promise<Omit<Restored, 'bytes' | 'entries'>>} */
async function restored(page, url, words, tools) {
  await page.goto(url)
  await evaluate(page, tools)
  const before = await evaluateNumber(page, 'staveBench.usage()')
  await page.getByRole('button', { name: 'I have an identity already' }).click()
  await page.getByRole('link', { name: /^My 24 words/ }).click()
  await page.getByLabel('Word 1', { exact: true }).fill(words)
  const askedMs = performance.now()
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByTestId('found-name').waitFor()
  const foundMs = performance.now() - askedMs
  const startMs = performance.now()
  await page.getByRole('button', { name: 'Restore on this device' }).click()
  await page.locator('.channel-row').filter({ hasText: 'Friend 19' }).waitFor()
  const listMs = performance.now() - startMs
  await evaluate(page, 'staveBench.untilRestored()')
  const wholeMs = performance.now() - startMs
  const stored = (await evaluateNumber(page, 'staveBench.usage()')) - before
  return { foundMs, listMs, wholeMs, stored }
}
