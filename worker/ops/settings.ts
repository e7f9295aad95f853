import { nowMs } from '../clock.ts'
import type { Env } from '../env.ts'
import { DEFAULT_SETTINGS, type Settings } from '../rules/quota.ts'

const KEEP_MS = 60_000
let kept: { readonly incarnation: string; readonly untilMs: number; readonly settings: Settings } | undefined

/** The realm's settings, as this isolate last heard them; at most a minute old (DESIGN 7). */
export async function settingsOf(env: Env): Promise<Settings> {
  const atMs = nowMs()
  if (kept?.incarnation === env.INCARNATION && atMs < kept.untilMs) return kept.settings
  const settings = await env.REALM.get(env.REALM.idFromName('realm')).settings()
  kept = { incarnation: env.INCARNATION, untilMs: atMs + KEEP_MS, settings }
  return settings
}

/** Before anything was asked: what limits a connection until its first request. */
export function knownSettings(env: Env): Settings {
  return kept?.incarnation === env.INCARNATION ? kept.settings : DEFAULT_SETTINGS
}
