export type Side = 'before' | 'after'

/** On which side of its `n`th write a process dies: on both in the long run (`npm run crashes:long`), by turns in the common one. */
export function crashSides(n: number): readonly Side[] {
  if (process.env.STAVE_ALL_CRASHES !== undefined) return ['before', 'after']
  return n % 2 === 0 ? ['before'] : ['after']
}
