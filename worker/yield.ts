/** Where there is no scheduler, in Node under test, there is nobody to let in. */
type Runtime = { readonly scheduler?: { wait(delayMs: number): Promise<void> } }

/**
 * All objects of a machine share one thread, and its event loop looks for input only when it has nothing else to do: a
 * client with a window of unanswered requests keeps everybody else out. One turn before each answer lets them in
 * (docs/decisions/0004-relay.md). Other events run meanwhile: whatever must be in order is settled before.
 */
export async function yieldToOthers(): Promise<void> {
  await (globalThis as Runtime).scheduler?.wait(0)
}
