import type { Socket } from '#net/noise-socket.ts'

/** A browser's socket whose other end is the test. */
export class Wire implements Socket {
  binaryType = ''
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: ((event: { readonly code: number }) => void) | null = null
  onerror: (() => void) | null = null
  readonly sent: Uint8Array[] = []
  readonly #waiting: ((bytes: Uint8Array) => void)[] = []
  send(bytes: Uint8Array): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.sent.push(bytes)
    else next(bytes)
  }
  next(): Promise<Uint8Array> {
    const sent = this.sent.shift()
    return sent === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(sent)
  }
  close(): void {}
  deliver(bytes: Uint8Array): void {
    this.onmessage?.({ data: bytes.slice().buffer })
  }
}
