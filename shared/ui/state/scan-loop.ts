/** What finds codes in a picture: the browser's BarcodeDetector, or a test's. */
export type Detector<P> = { detect(picture: P): Promise<readonly { readonly rawValue: string }[]> }

export type Camera<P> = {
  /** The next picture, undefined where there is none yet; rejects when the camera is gone. */
  picture(): Promise<P | undefined>
}

/**
 * Looks at one picture after another until one has a code, or until it is stopped. Pictures stay where they are: what leaves this is
 * the text of a code alone.
 * @returns undefined when it was stopped
 */
export async function scanLoop<P>(
  camera: Camera<P>,
  detector: Detector<P>,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const picture = await camera.picture()
    if (picture === undefined || signal.aborted) continue
    // A picture that can't be looked at is followed by another one.
    const codes = await detector.detect(picture).catch(() => [])
    const text = codes.find(({ rawValue }) => rawValue !== '')?.rawValue
    if (text !== undefined && !signal.aborted) return text
  }
  return undefined
}
