import { wordlist } from '@scure/bip39/wordlists/english.js'

const MAX_SUGGESTIONS = 4
const MAX_DISTANCE = 2
const MAX_LETTERS = 16 // the longest word has 8: what is longer than twice that resembles none

/** Words that differ from a mistyped one by one slip or two, nearest first. */
export function suggestWords(typed: string): readonly string[] {
  if (typed.length > MAX_LETTERS) return []
  return wordlist
    .map((word) => ({ word, distance: distance(typed, word) }))
    .filter((candidate) => candidate.distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map((candidate) => candidate.word)
}

/** Optimal string alignment: letters changed, added, left out, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(changed, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
