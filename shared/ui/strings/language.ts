import { en, type Strings } from './en.ts'
import { es } from './es.ts'

export type Language = 'en' | 'es'

export const CATALOGUES: Readonly<Record<Language, Strings>> = { en, es }

export function pickLanguage(wanted: Language | 'auto', preferred: readonly string[]): Language {
  if (wanted !== 'auto') return wanted
  for (const tag of preferred) {
    const base = tag.toLowerCase().split('-')[0]
    if (base === 'en' || base === 'es') return base
  }
  return 'en'
}

/** The browser's own tag of that language when there is one: es-MX and en-GB write dates their way. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur'])

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
}
