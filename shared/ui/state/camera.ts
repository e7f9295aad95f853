import { type Camera, type Detector, scanLoop } from './scan-loop.ts'

type DetectorClass = new (options: { readonly formats: readonly string[] }) => Detector<HTMLVideoElement>

const EVERY_MS = 150

function detectorClass(): DetectorClass | undefined {
  return (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector
}

/** Is there a camera to be asked for, and something that reads codes? Nothing is offered where there is not. */
export function canScan(): boolean {
  return detectorClass() !== undefined && typeof navigator.mediaDevices?.getUserMedia === 'function'
}

/**
 * Opens the camera, shows it in `video` and waits for a QR code. The camera is closed when this ends, whichever way.
 * @throws { code: 'camera/refused' | 'camera/none' }
 */
export async function scanWith(video: HTMLVideoElement, signal: AbortSignal): Promise<string | undefined> {
  const stream = await openCamera()
  try {
    if (signal.aborted) return undefined
    const Detecting = detectorClass()
    if (Detecting === undefined) throw { code: 'camera/none' }
    video.srcObject = stream
    await video.play()
    return await scanLoop(pictures(video, signal), new Detecting({ formats: ['qr_code'] }), signal)
  } catch (error) {
    if (signal.aborted) return undefined
    throw isCoded(error) ? error : { code: 'camera/none' }
  } finally {
    for (const track of stream.getTracks()) track.stop()
    video.srcObject = null
  }
}

async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
  } catch (error) {
    const isRefused = error instanceof DOMException && ['NotAllowedError', 'SecurityError'].includes(error.name)
    throw { code: isRefused ? 'camera/refused' : 'camera/none' }
  }
}

function pictures(video: HTMLVideoElement, signal: AbortSignal): Camera<HTMLVideoElement> {
  return {
    picture: async () => {
      await new Promise((done) => {
        setTimeout(done, EVERY_MS)
        signal.addEventListener('abort', done, { once: true })
      })
      return video.readyState >= video.HAVE_CURRENT_DATA ? video : undefined
    },
  }
}

function isCoded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
}
