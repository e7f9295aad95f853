import { en, type Strings } from './en.ts'

export type Language = 'en' | 'es'

const LOADERS: Readonly<Record<Language, () => Promise<Strings>>> = {
  en: async () => en,
  es: async () => (await import('./es.ts')).es,
}

/** Nobody loads the words of a language they don't read. */
export function loadStrings(language: Language): Promise<Strings> {
  return LOADERS[language]()
}

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
