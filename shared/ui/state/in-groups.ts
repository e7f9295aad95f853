/** A number to compare by eye is set in groups. */
export function inGroups(text: string, size: number): string {
  return /\s/.test(text) ? text : (text.match(new RegExp(`.{1,${size}}`, 'gu'))?.join(' ') ?? text)
}

/** Sixty digits in twelve groups of five, as both people read them out (K-11). */
export function safetyGroups(digits: string): readonly string[] {
  return digits.replace(/\s/g, '').match(/.{1,5}/g) ?? []
}
