/**
 * A life of a large group, as tests/sim/large-group.test.ts runs a smaller one.
 *   npm run large:long                    a thousand devices
 *   npm run large:long -- --devices 500
 */
import { loadSim, option } from './bundle-sim.mjs'

const devices = option('devices', 1000)
const seed = option('seed', 1)
const { largeGroup } = await loadSim('large-group.ts')
const began = Date.now()
const { faults, commits, sendBytes, openBytes } = await largeGroup(seed, devices)
const took = ((Date.now() - began) / 1000).toFixed(0)
console.log(
  `${devices} devices, seed ${seed}: ${faults.length === 0 ? 'good' : faults.join('; ')} (in by ${commits} commits; a message writes ${sendBytes} bytes where it is sent, ${openBytes} where it is read; ${took} s)`,
)
process.exitCode = faults.length === 0 ? 0 : 1
