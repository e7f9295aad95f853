/**
 * Runs the simulation outside the test suite.
 *   npm run sim -- --seed 7           one seed, with what each device looked like at the end
 *   npm run sim:long                  200 seeds of 2,000 messages
 */
import { loadSim, option } from './bundle-sim.mjs'

const first = option('seed', 1)
const seeds = option('seeds', 1)
const messages = option('messages', 500)
const { converse, judge, storm } = await loadSim('conversation.ts')
let failed = 0
for (let seed = first; seed < first + seeds; seed++) {
  const began = Date.now()
  const outcome = await converse(seed, storm(messages))
  const faults = judge(outcome, messages)
  if (faults.length > 0) failed++
  const took = ((Date.now() - began) / 1000).toFixed(1)
  console.log(
    `seed ${seed}: ${faults.length === 0 ? 'converged' : faults.join('; ')} (${outcome.crashes} crashes of devices, ${outcome.relayCrashes} of the relay, ${took} s)`,
  )
  if (faults.length > 0 || seeds === 1) for (const line of outcome.described) console.log(`  ${line}`)
}
console.log(`${seeds - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
