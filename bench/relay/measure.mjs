import { importBundled } from '../support/bundle.mjs'
import { figure, median, quantile, spread } from '../support/stats.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {Record<'echo' | 'insert' | 'one' | 'told' | 'batched', number[]>} Rates
 */
const POSTS = 32
const WINDOW = 2
/** Of 256 bytes each: what a reply gives at most. */
const ENTRIES = 64

/** Messages a second at the relay beside a bare object, and what a quiet client feels. @param {Place} place @returns {Promise<Outcome>} */
export async function measureRelay({ relayUrl, bareUrl, quick }) {
  const load = /** @type {typeof import('./load.ts')} */ (await importBundled('relay/load.ts'))
  const rounds = quick ? 1 : 5
  const requests = quick ? 300 : 2_000 // below the burst that a connection has
  const one = { requests, posts: 1, window: WINDOW }
  const batch = { requests: requests / 5, posts: POSTS, window: WINDOW }
  /** @type {Rates} */
  const rates = { echo: [], insert: [], one: [], told: [], batched: [] }
  await load.relay(relayUrl, { ...one, requests: 100 }) // warm
  await load.bare(bareUrl, '/insert', { ...one, requests: 100 })
  for (let round = 0; round < rounds; round++) {
    rates.echo.push(await load.bare(bareUrl, '/echo', one))
    rates.insert.push(await load.bare(bareUrl, '/insert', one))
    rates.one.push(await load.relay(relayUrl, one))
    rates.batched.push(await load.relay(relayUrl, batch))
    rates.told.push(await load.relay(relayUrl, one, 1))
  }
  const flood = { requests, posts: 1, window: 16 }
  const probes = quick ? 50 : 400
  const calm = await load.quiet(relayUrl, { ...flood, requests: 0 }, 0, probes)
  const flooded = await load.quiet(relayUrl, flood, 1, probes)
  const crowded = await load.quiet(relayUrl, flood, 4, probes)

  const logs = /** @type {typeof import('./load-log.ts')} */ (await importBundled('relay/load-log.ts'))
  /** @type {Record<'single' | 'many' | 'pulled', number[]>} */
  const entries = { single: [], many: [], pulled: [] }
  for (let round = 0; round < rounds; round++) {
    entries.single.push(await logs.push(relayUrl, { requests, entries: 1, window: WINDOW }))
    entries.many.push(await logs.push(relayUrl, { requests: requests / 10, entries: ENTRIES, window: WINDOW }))
    entries.pulled.push(await logs.pull(relayUrl, { requests: requests / 10, entries: ENTRIES, window: WINDOW }))
  }

  /** @param {keyof Rates} over @param {keyof Rates} under of the same round */
  const ratio = (over, under) => median(rates[over].map((rate, i) => rate / (rates[under][i] ?? Number.NaN)))
  const toInsert = ratio('one', 'insert')
  return {
    ratios: [
      {
        what: 'Relay, one message a frame ÷ bare insert and acknowledge',
        value: `${figure(toInsert * 100)} %`,
        goal: '≥ 50 %',
        met: toInsert >= 0.5,
        bound:
          'A post is two calls between objects (session, channel), a Noise frame opened and one sealed, a chain hash and one turn of the event loop for fairness, where the bare object does one insert. All objects of a machine share one thread.',
      },
      { what: 'Relay, one message a frame ÷ bare echo', value: `${figure(ratio('one', 'echo') * 100)} %` },
      {
        what: `Relay, ${POSTS} messages a frame ÷ bare insert and acknowledge`,
        value: `${figure(ratio('batched', 'insert'))} times`,
      },
      {
        what: `Relay, ${POSTS} messages a frame ÷ one message a frame`,
        value: `${figure(ratio('batched', 'one'))} times`,
        goal: '≥ 10 times',
        met: ratio('batched', 'one') >= 10,
        bound: 'Each message is still hashed into the chain, inserted with its own row and decoded by itself.',
      },
      {
        what: 'Round trip of a quiet client while another floods, p95',
        value: `${figure(quantile(flooded, 0.95))} ms`,
        goal: '≤ 10 ms',
        met: quantile(flooded, 0.95) <= 10,
        bound: `With nobody else there p95 was ${figure(quantile(calm, 0.95))} ms: the flood, its answers, the quiet client and the relay share the cores of this machine with all else that runs on it.`,
      },
    ],
    figures: [
      { what: 'Bare echo, frames a second', value: figure(median(rates.echo)) },
      { what: 'Bare insert and acknowledge, frames a second', value: figure(median(rates.insert)) },
      { what: 'Relay, one message a frame, messages a second', value: figure(median(rates.one)) },
      { what: 'The same, with one other member told of each', value: figure(median(rates.told)) },
      { what: `Relay, ${POSTS} messages a frame, messages a second`, value: figure(median(rates.batched)) },
      { what: 'Log, one entry a frame appended, entries a second', value: figure(median(entries.single)) },
      { what: `Log, ${ENTRIES} entries a frame appended, entries a second`, value: figure(median(entries.many)) },
      { what: `Log, ${ENTRIES} entries a frame read, entries a second`, value: figure(median(entries.pulled)) },
      { what: 'Round trip of a quiet client, nobody else there, p50 / p95, ms', value: spread(calm) },
      { what: 'While one client keeps 16 posts unanswered', value: spread(flooded) },
      { what: 'While four clients do', value: spread(crowded) },
    ],
  }
}
