import { judgeStorm } from './channel-judge.ts'
import { channelStorm, LARGE, SMALL } from './channel-storm.ts'

/** A whole storm, and what is wrong with how it ended. */
export async function stormy(seed: number, size: 'small' | 'large') {
  const stormed = await channelStorm(seed, size === 'small' ? SMALL : LARGE)
  const faults = await judgeStorm(stormed)
  const done = [...stormed.done].sort().map(([what, times]) => `${times} ${what}`)
  const crashes = stormed.world.devices.reduce((sum, device) => sum + device.crashes, 0)
  return { faults, done: [`${stormed.said.length} said`, `${crashes} crashes`, ...done] }
}
