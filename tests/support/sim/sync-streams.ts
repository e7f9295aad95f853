import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Compression that is done when it is asked for: the platform's runs in threads, and virtual time would pass meanwhile. */
export function installSyncStreams(): void {
  Object.assign(globalThis, { CompressionStream: sync(deflateRawSync), DecompressionStream: sync(inflateRawSync) })
}

function sync(convert: (bytes: Uint8Array) => Uint8Array) {
  return class {
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream<Uint8Array>

    constructor() {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => controller.enqueue(new Uint8Array(convert(chunk))),
      })
      this.readable = readable
      this.writable = writable
    }
  }
}
