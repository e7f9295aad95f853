import { loadSim } from '../../scripts/bundle-sim.mjs'
import { figure } from '../support/stats.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {'create' | 'join' | 'add' | 'update' | 'apply' | 'send' | 'open' | 'return' | 'answer'} Act
 * @typedef {Record<Act, { ms: number, wireBytes: number, diskBytes: number }>} Costs
 * @typedef {{ ACTS: readonly Act[], measureApp: (devices: number, keys: string, seed?: number) => Promise<Costs> }} Measure
 */

/** @type {Record<Act, string>} */
const NAMES = {
  create: 'Making it, all in it',
  join: 'Coming in by the welcome',
  add: 'Adding one',
  update: 'New keys: who commits',
  apply: '… who applies it',
  send: 'A message: who sends',
  open: '… who opens it',
  return: 'Coming back with no state',
  answer: '… who leaves the state for it',
}
const SIZES = { classical: [2, 10, 100, 500, 1000], hybrid: [2, 10, 100, 250] }
const SUITES = { classical: 'Classical', hybrid: 'X-Wing' }
const GOAL_BYTES = 4096

/** @param {Pick<Place, 'quick'>} place @returns {Promise<Outcome>} */
export async function measureGroups({ quick }) {
  const { ACTS, measureApp } = /** @type {Measure} */ (await loadSim('../../../bench/app/measure.ts'))
  await measureApp(2, 'classical', 7) // what runs for the first time runs slowly
  const tables = []
  const ratios = []
  for (const [keys, sizes] of /** @type {[keyof typeof SIZES, number[]][]} */ (Object.entries(SIZES))) {
    /** @type {Map<number, Costs>} */
    const costs = new Map()
    for (const devices of quick ? sizes.slice(0, 3) : sizes) costs.set(devices, await measureApp(devices, keys))
    const [two] = [...costs.values()]
    if (two === undefined) continue
    const rows = ACTS.map((act) => [
      NAMES[act],
      ...[...costs.values()].map(({ [act]: { ms, wireBytes, diskBytes } }) =>
        [ms, wireBytes / 1000, diskBytes / 1000].map(figure).join(' / '),
      ),
    ])
    const head = [...costs.keys()].map((devices) => `${figure(devices)} devices`)
    tables.push({
      title: `${SUITES[keys]} keys: processor ms, kB between device and relay, kB that the store writes, the account's log apart.`,
      head,
      rows,
    })
    const largest = Math.max(...costs.keys())
    const most = costs.get(largest)
    if (most === undefined) continue
    for (const act of /** @type {const} */ (['send', 'open'])) {
      ratios.push({
        what: `${SUITES[keys]}: ${act === 'send' ? 'sending' : 'opening'} a message in a group of ${figure(largest)} ÷ of 2, time`,
        value: `${figure(most[act].ms / two[act].ms)} times`,
      })
      ratios.push({
        what: `${SUITES[keys]}: bytes that ${act === 'send' ? 'sending' : 'opening'} a message writes, ${figure(largest)} devices`,
        value: `${figure(most[act].diskBytes / 1000)} kB`,
        goal: '≤ 4 KB',
        met: most[act].diskBytes <= GOAL_BYTES,
        bound:
          'The line, its place in the outbox, the ratchets, and three times where the device stands; none of it grows with the group.',
      })
    }
  }
  return {
    ratios,
    figures: [],
    tables,
    note: 'The real engine over the real objects of the relay, in Node and in one process, without sockets: a time is the processor time that engine, relay and store in memory took together, greeting the relay again with it. Two devices run; the others have left key packages, never committed and are silent, so that the tree is as adding has left it, the dearest that it can be. A group of 1,000 with X-Wing is not made this way: one commit in such a tree is more than an envelope holds.',
  }
}
