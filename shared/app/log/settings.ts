import type { SettingsRecord } from '../ports/records.ts'

export const DEFAULT_SETTINGS: SettingsRecord = {
  language: 'auto',
  theme: 'auto',
  density: 'comfortable',
  enterSends: true,
  cover: 'light',
}
type Value = string | number | boolean
const isOneOf =
  (...allowed: readonly Value[]) =>
  (value: Value): boolean =>
    allowed.includes(value)
const KNOWN: Readonly<Record<keyof SettingsRecord, (value: Value) => boolean>> = {
  language: isOneOf('auto', 'en', 'es'),
  theme: isOneOf('auto', 'light', 'dark', 'contrast'),
  density: isOneOf('comfortable', 'compact'),
  enterSends: isOneOf(true, false),
  cover: isOneOf('off', 'light'),
  remindAfterMs: (value) => typeof value === 'number',
}

/** Of what another device of the account set, what this version knows. */
export function readSettings(values: Readonly<Record<string, Value>>): SettingsRecord {
  const known = Object.entries(values).filter(
    ([name, value]) => Object.hasOwn(KNOWN, name) && KNOWN[name as keyof SettingsRecord](value),
  )
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(known) }
}
