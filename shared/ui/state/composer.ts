/** M-01: as the core counts it; a test holds the two together. */
export const MAX_TEXT_BYTES = 64 * 1024

export type ComposerKey = {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly isComposing: boolean
  readonly keyCode: number
}

/** Does this key send, or is it the text field's own business? */
export function composerKey(event: ComposerKey, enterSends: boolean): 'send' | 'pass' {
  if (event.key !== 'Enter' || event.altKey) return 'pass'
  // While an input method is open, Enter picks its suggestion. Safari ends the composition first and then reports
  // the same key press as 229.
  if (event.isComposing || event.keyCode === 229) return 'pass'
  if (event.ctrlKey || event.metaKey) return 'send'
  return event.shiftKey === enterSends ? 'pass' : 'send'
}

const encoder = new TextEncoder()

export type Measure = { readonly bytes: number; readonly left: number; readonly near: boolean; readonly over: boolean }

export function measure(text: string): Measure {
  // A UTF-16 unit is three bytes at the most: short texts need no encoding on every key press.
  const bytes = text.length * 3 < MAX_TEXT_BYTES * 0.9 ? text.length : encoder.encode(text).length
  return { bytes, left: MAX_TEXT_BYTES - bytes, near: bytes > MAX_TEXT_BYTES * 0.9, over: bytes > MAX_TEXT_BYTES }
}
