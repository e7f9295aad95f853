/** A number to compare by eye is set in groups. */
export function inGroups(text: string, size: number): string {
  return /\s/.test(text) ? text : (text.match(new RegExp(`.{1,${size}}`, 'gu'))?.join(' ') ?? text)
}
