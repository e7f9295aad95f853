export type Piece = { readonly text: string; readonly href?: string }

const CANDIDATE = /\bhttps?:\/\/[^\s<>"'`\u2018-\u201f\p{Cc}]+/giu
const TRAILING = /[.,;:!?…]$/u

/** Splits a text into plain pieces and links (http and https only). Joined again, the pieces are the text. */
export function findLinks(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(CANDIDATE)) {
    const link = trim(found[0])
    if (!isWebAddress(link)) continue
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) })
    pieces.push({ text: link, href: link })
    end = found.index + link.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

/** The full stop after a link, and the bracket around it, are the sentence's. */
function trim(found: string): string {
  let link = found
  for (;;) {
    const closes = link.endsWith(')') && count(link, ')') > count(link, '(')
    if (!closes && !TRAILING.test(link)) return link
    link = link.slice(0, -1)
  }
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).hostname !== ''
}
