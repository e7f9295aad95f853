const LINES = 40
const LENGTH = 4000

/** @returns the beginning of a long text, cut between words where it can be; undefined for a text shown whole */
export function shorten(text: string): string | undefined {
  let end = 0
  for (let line = 0; line < LINES && end !== -1; line++) end = text.indexOf('\n', end === 0 ? 0 : end + 1)
  const byLines = end === -1 ? text.length : end
  if (byLines === text.length && text.length <= LENGTH) return undefined
  if (byLines <= LENGTH) return text.slice(0, byLines)
  const space = text.lastIndexOf(' ', LENGTH)
  const cut = space > LENGTH - 200 ? space : LENGTH
  // A cut between the halves of a surrogate pair would show a broken sign.
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(cut - 1))
  return text.slice(0, splits ? cut - 1 : cut)
}
