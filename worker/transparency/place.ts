import type { Env, Remote } from '../env.ts'
import type { Transparency } from '../objects/transparency.ts'

/** A realm has one: what is not in one order can't be shown to have grown (K-13). */
export function theTransparency({ TRANSPARENCY }: Env): Remote<Transparency> {
  return TRANSPARENCY.get(TRANSPARENCY.idFromName('manifests'))
}
