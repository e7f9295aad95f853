/** Three different places of `total`, in rising order. `random` answers a whole number below its argument. */
export function choosePositions(total: number, random: (below: number) => number): readonly number[] {
  const left = Array.from({ length: total }, (_, index) => index + 1)
  const chosen = Array.from({ length: Math.min(3, total) }, () => left.splice(random(left.length), 1)[0] ?? 1)
  return chosen.toSorted((a, b) => a - b)
}

/** Words of the list that begin with what was typed; forgives case, spaces and composed forms (K-03). */
export function completeWord(words: readonly string[], typed: string, limit = 5): readonly string[] {
  const start = normalWord(typed)
  if (start.length < 2) return []
  return words.filter((word) => word.startsWith(start)).slice(0, limit)
}

export function normalWord(typed: string): string {
  return typed.normalize('NFKD').trim().toLowerCase()
}

/** Below `below`, each as likely as any other. */
export function cryptoRandom(below: number): number {
  const bound = 0x1_0000_0000 - (0x1_0000_0000 % below)
  for (;;) {
    const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1))
    if (drawn < bound) return drawn % below
  }
}
