import type { Settings } from '#app/face.ts'
import { directionOf, type Language } from '../strings/language.ts'

type Look = Pick<Settings, 'theme' | 'density'>
type Remembered = Look & Pick<Settings, 'language'>

const KEY = 'stave.look'

/** Puts theme, density, language and direction on the page. */
export function applyLook(root: HTMLElement, look: Look, language: Language): void {
  const theme = look.theme === 'auto' && matchMedia('(prefers-contrast: more)').matches ? 'contrast' : look.theme
  root.dataset.theme = theme
  root.dataset.density = look.density
  root.lang = language
  root.dir = directionOf(language)
}

/** The last look, for what is painted before the store is read or while it is locked. It says nothing about anybody. */
export function recallLook(): Remembered | undefined {
  try {
    const { theme, density, language = 'auto' } = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return { theme, density, language }
  } catch {
    return undefined
  }
}

export function rememberLook({ theme, density, language }: Remembered): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ theme, density, language }))
  } catch {
    // Where storage is refused, the system's theme is shown until the settings are read.
  }
}
