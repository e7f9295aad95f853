import { evaluate, evaluateNumber, extensionIdOf, inProfiles, makeIdentity, stopWorker } from '../support/browser.mjs'
import { scriptOf } from '../support/bundle.mjs'
import { figure, median, quantile, spread } from '../support/stats.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {import('playwright-core').BrowserContext} Context
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ began: number, ran: number, list: number }} Opened milliseconds since the navigation
 * @typedef {{ web: Opened[], popup: Opened[] }} Times
 */
/** When the page begins, when its scripts have run so far that they open the store, and when a channel is on the page. */
const WATCH = `globalThis.opened = { began: performance.now() }
const open = IDBFactory.prototype.open
IDBFactory.prototype.open = function (...args) {
  opened.ran ??= performance.now()
  return open.apply(this, args)
}
new MutationObserver((_, observer) => {
  if (document.querySelector('.channel-row') === null) return
  opened.list = performance.now()
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

/**
 * From the navigation to the first channel on the screen, over stores of two sizes opened in turns.
 * @param {Place} place @returns {Promise<Outcome>}
 */
export async function measureList({ relayUrl, quick }) {
  const sizes = quick ? [100, 1_000] : [10_000, 100_000]
  const opens = quick ? 2 : 15
  const tools = await scriptOf('client/page-tools.ts')
  /** @type {Times[]} */
  const times = sizes.map(() => ({ web: [], popup: [] }))
  let bytes = Number.NaN
  let usage = Number.NaN
  await inProfiles(
    sizes.map((size) => `of-${size}`),
    async (contexts) => {
      const ids = await Promise.all(contexts.map(extensionIdOf))
      for (const [i, context] of contexts.entries()) {
        const size = sizes[i] ?? 0
        await context.addInitScript({ content: WATCH })
        const popup = await seeded(context, `chrome-extension://${ids[i]}/popup.html`, size, tools)
        usage = (await evaluateNumber(popup, 'staveBench.usage()')) / size
        await popup.close()
        const page = await seeded(context, relayUrl, size, tools)
        bytes = (await evaluateNumber(page, 'staveBench.storedBytes().then(({ bytes }) => bytes)')) / size
        await page.close()
      }
      for (let n = 0; n < opens; n++) {
        for (const [i, context] of contexts.entries()) {
          times[i]?.web.push(await opened(context, relayUrl))
          await stopWorker(context, ids[i] ?? '')
          times[i]?.popup.push(await opened(context, `chrome-extension://${ids[i]}/popup.html`))
        }
      }
    },
    true,
  )
  const [small = { web: [], popup: [] }, large = { web: [], popup: [] }] = times
  /** @param {'web' | 'popup'} face */
  const growth = (face) => median(listed(large[face])) / median(listed(small[face]))
  const [few, many] = sizes.map(figure)
  const popup95 = quantile(listed(large.popup), 0.95)
  return {
    ratios: [
      ...[
        { face: /** @type {const} */ ('web'), name: 'Web app' },
        { face: /** @type {const} */ ('popup'), name: 'Popup with the worker dead' },
      ].map(({ face, name }) => ({
        what: `${name}: time to the channel list, ${many} ÷ ${few} stored messages`,
        value: figure(growth(face)),
        goal: '0.8 to 1.2',
        met: growth(face) >= 0.8 && growth(face) <= 1.2,
        bound:
          growth(face) < 1
            ? 'The larger store was the quicker one: this is what else the machine did, not the history.'
            : 'The list reads no lines; what grows is the database that the browser opens.',
      })),
      {
        what: `Popup with the worker dead, ${many} messages: time to the channel list, p95`,
        value: `${figure(popup95)} ms`,
        goal: '≤ 250 ms',
        met: popup95 <= 250,
        bound: `Of the median, ${figure(median(large.popup.map(({ began }) => began)))} ms pass before the new process begins the page and ${figure(median(large.popup.map(({ began, ran }) => ran - began)))} ms until its scripts have run, both beside the background that starts too; ${figure(median(large.popup.map(({ ran, list }) => list - ran)))} ms are Stave's: opening two databases, reading, drawing.`,
      },
    ],
    figures: [
      ...sizes.flatMap((size, i) => [
        {
          what: `Web app: channel list, ${figure(size)} messages, p50 / p95, ms`,
          value: spread(listed(times[i]?.web)),
        },
        {
          what: `Popup: channel list, ${figure(size)} messages, p50 / p95, ms`,
          value: spread(listed(times[i]?.popup)),
        },
      ]),
      {
        what: `Popup, ${many} messages: process started, p50 / p95, ms`,
        value: spread(large.popup.map(({ began }) => began)),
      },
      {
        what: 'Popup: from there until its scripts have run',
        value: spread(large.popup.map(({ began, ran }) => ran - began)),
      },
      {
        what: 'Popup: from there until the list is there (store, sealed rows, drawing)',
        value: spread(large.popup.map(({ ran, list }) => list - ran)),
      },
      { what: 'Sealed rows of a message of 80 characters, bytes', value: figure(bytes) },
      {
        what: `On the disk with index and log of the database (${many} messages), bytes a message`,
        value: figure(usage),
      },
    ],
  }
}

/** An identity and so many messages. @param {Context} context @param {string} url @param {number} count @param {string} tools */
async function seeded(context, url, count, tools) {
  const page = await context.newPage()
  await page.goto(url)
  await makeIdentity(page, 'Bench')
  await evaluate(page, tools)
  await evaluate(page, `staveBench.seed(${count})`)
  return page
}

/** @param {readonly Opened[]} [times] */
function listed(times = []) {
  return times.map(({ list }) => list)
}

/** @param {Context} context @param {string} url */
async function opened(context, url) {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.channel-row').first().waitFor()
  const times = /** @type {Opened} */ (await evaluate(page, 'opened'))
  await page.close()
  return times
}
