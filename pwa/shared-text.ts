const PATIENCE_MS = 1000

/** Asks the service worker for what was shared: it came in the body of a request, so that no address holds it (K-04). */
export function takeSharedText(): Promise<string> {
  const worker = navigator.serviceWorker?.controller
  if (!worker) return Promise.resolve('')
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const tooLate = setTimeout(() => resolve(''), PATIENCE_MS)
    port1.onmessage = ({ data }) => {
      clearTimeout(tooLate)
      resolve(typeof data === 'string' ? data : '')
    }
    worker.postMessage({ type: 'TAKE_SHARED' }, [port2])
  })
}
