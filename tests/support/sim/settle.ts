let inFlight = 0
let watched = false

/** Counts what WebCrypto has under way, since its answers come from threads: a step of the simulation waits for them. */
export function watchWebCrypto(): void {
  if (watched) return
  watched = true
  const subtle = crypto.subtle
  const prototype = Object.getPrototypeOf(subtle) as Record<string, unknown>
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const own = Object.getOwnPropertyDescriptor(subtle, name) ?? Object.getOwnPropertyDescriptor(prototype, name)
    const method = own?.value
    if (typeof method !== 'function' || name === 'constructor') continue
    Object.defineProperty(subtle, name, {
      configurable: true,
      value: async (...args: unknown[]) => {
        inFlight++
        try {
          return await method.apply(subtle, args)
        } finally {
          inFlight--
        }
      },
    })
  }
}

const QUIET_TURNS = 3

/** Resolves when nothing more happens by itself: every promise chain is done, or waits for time or for the network. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; ) {
    await new Promise((resolve) => setImmediate(resolve))
    quiet = inFlight === 0 ? quiet + 1 : 0
  }
}
