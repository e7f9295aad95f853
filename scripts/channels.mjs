/**
 * Channels in a storm, outside the test suite.
 *   npm run channels -- --seed 7          one seed of 12 people with 30 devices, and what was done in it
 *   npm run channels:long                 40 seeds
 *   npm run channels -- --small 1 --seeds 10
 */
import { loadSim, option } from './bundle-sim.mjs'

const first = option('seed', 1)
const seeds = option('seeds', 1)
const size = option('small', 0) === 1 ? 'small' : 'large'
const { stormy } = await loadSim('stormy.ts')
let failed = 0
for (let seed = first; seed < first + seeds; seed++) {
  const began = Date.now()
  const { faults, done } = await stormy(seed, size)
  if (faults.length > 0) failed++
  const took = ((Date.now() - began) / 1000).toFixed(0)
  console.log(`seed ${seed}: ${faults.length === 0 ? 'one view' : 'FAULTS'} (${done.join(', ')}; ${took} s)`)
  for (const fault of faults) console.log(`  ${fault}`)
}
console.log(`${seeds - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
