export type Row = Readonly<Record<string, number>>
const REPEATS = 9
/** Of an envelope's largest size, and of two that are common. */
export const MESSAGES = [256, 4096, 1_000_000]

/** Of so many runs after one to warm up, in milliseconds. */
export async function median(run: () => Promise<unknown>, repeats = REPEATS): Promise<number> {
  await run()
  const times: number[] = []
  for (let i = 0; i < repeats; i++) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(repeats / 2)] ?? Number.NaN
}
