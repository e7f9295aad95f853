/** Overwrites spent secrets. A copy that the runtime made elsewhere is out of reach: this narrows the window, no more. */
export function wipe(...secrets: readonly (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0)
}
