/**
 * Eight clients that commit at the same moment, outside the test suite.
 *   npm run race:long                         500 rounds
 *   node scripts/race.mjs --seed 7 --rounds 50
 */
import { loadSim, option } from './bundle-sim.mjs'

const seed = option('seed', 41)
const rounds = option('rounds', 500)
const { race } = await loadSim('race.ts')
const began = Date.now()
const { faults, offered, ordered } = await race(seed, rounds)
const took = ((Date.now() - began) / 1000).toFixed(0)
console.log(`seed ${seed}, ${rounds} rounds: ${offered} commits offered, ${ordered} ordered, ${took} s`)
console.log(faults.length === 0 ? 'one view after each round' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
