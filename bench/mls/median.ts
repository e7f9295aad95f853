export type Row = Readonly<Record<string, number>>
const REPEATS = 9
/** Of an envelope's largest size, and of two that are common. */
export const MESSAGES = [256, 4096, 1_000_000]

/** What takes long is measured three times: a whole run is to take some minutes. */
const LONG_MS = 1000

/** Of so many runs after one to warm up, in milliseconds. */
export async function median(run: () => Promise<unknown>, repeats = REPEATS): Promise<number> {
  await run()
  const times: number[] = []
  let allMs = 0
  for (let i = 0; i < repeats && (i < 3 || allMs < LONG_MS); i++) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
    allMs += times.at(-1) ?? 0
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
