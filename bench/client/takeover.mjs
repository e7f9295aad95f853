import { composer, evaluate } from '../support/browser.mjs'

/** @typedef {{ started: number, online: number, sent: number }} Takeover milliseconds from the close */

/**
 * Three tabs; the oldest, which holds the lock and runs the engine, is closed, and at the same moment a message is
 * written in the newest.
 * @param {import('playwright-core').BrowserContext} context
 * @param {import('playwright-core').Page} holder
 * @param {string} tools
 * @param {number} rounds
 * @returns {Promise<Takeover[]>}
 */
export async function measureTakeover(context, holder, tools, rounds) {
  const { href } = new URL(holder.url())
  const add = async () => {
    const page = await context.newPage()
    await page.goto(href)
    await composer(page).waitFor()
    await evaluate(page, tools)
    await evaluate(page, `staveBench.sentAt('Here ${Date.now()}')`) // the engine of the oldest tab works
    return page
  }
  const tabs = [holder, await add(), await add()]
  const times = []
  for (let round = 0; round < rounds; round++) {
    const [oldest, newest] = [tabs.shift(), tabs.at(-1)]
    if (oldest === undefined || newest === undefined) break
    const startMs = performance.timeOrigin + performance.now()
    const [steps] = await Promise.all([
      evaluate(newest, `staveBench.sentSteps('Round ${round}')`),
      oldest.close({ runBeforeUnload: false }),
    ])
    const { startedMs, onlineMs, sentMs } = /** @type {{ startedMs: number, onlineMs: number, sentMs: number }} */ (
      steps
    )
    times.push({ started: startedMs - startMs, online: onlineMs - startMs, sent: sentMs - startMs })
    tabs.push(await add())
  }
  return times
}
