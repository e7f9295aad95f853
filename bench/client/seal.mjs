import { evaluate, inProfiles } from '../support/browser.mjs'
import { importBundled, scriptOf } from '../support/bundle.mjs'
import { figure, median } from '../support/stats.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {import('./seal.ts').SealTimes} SealTimes
 */

/** @param {Place} place @returns {Promise<Outcome>} */
export async function measureSeals({ bareUrl, quick }) {
  const batches = quick ? 3 : 30
  const node = /** @type {typeof import('./seal.ts')} */ (await importBundled('client/seal.ts'))
  const script = await scriptOf('client/seal.ts')
  const inNode = await node.measureSeal(batches)
  const stretches = quick ? 1 : 5
  const stretchInNode = await node.measureArgon2(stretches)
  const { times: inChromium, stretch: stretchInChromium } = await inProfiles(['seal'], async ([context]) => {
    const page = await context?.newPage()
    if (page === undefined) throw new Error('no page')
    await page.goto(bareUrl)
    await evaluate(page, script)
    const times = /** @type {SealTimes} */ (await evaluate(page, `measureSeal(${batches})`))
    const stretch = /** @type {number[]} */ (await evaluate(page, `measureArgon2(${stretches})`))
    return { times, stretch }
  })
  const both = Object.entries({ Chromium: inChromium, Node: inNode })
  return {
    ratios: both.map(([engine, { seal, bare }]) => ({
      what: `Seal of 256 B in ${engine} ÷ one Ed25519 signature and two AES-GCM by the platform`,
      value: `${figure(median(seal.map((time, i) => time / (bare[i] ?? Number.NaN))))} times`,
    })),
    figures: [
      ...both.flatMap(([engine, { seal, open }]) => [
        { what: `Seal 256 B (MLS and outer seal), ${engine}, µs`, value: figure(median(seal)) },
        { what: `Open 256 B, ${engine}, µs`, value: figure(median(open)) },
      ]),
      { what: 'Argon2id of a passphrase (32 MiB, 3 passes), Chromium, ms', value: figure(median(stretchInChromium)) },
      { what: 'Argon2id of a passphrase (32 MiB, 3 passes), Node, ms', value: figure(median(stretchInNode)) },
    ],
  }
}
