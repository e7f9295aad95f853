import { equalBytes } from '#core/bytes/equal.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import type { Dice } from '#core/crypto/random.ts'
import { InputError, WireError } from '#core/errors.ts'
import type { Work } from '../face.ts'
import type { ArchiveSeal } from '../ports/archive-seal.ts'
import type { Bridge } from '../ports/bridge.ts'
import type { Store } from '../ports/store.ts'
import { decodeHead } from './archive-line.ts'
import { readArchive } from './read-archive.ts'
import { splitLines } from './split-lines.ts'

export type ArchiveDeps = {
  readonly store: Store
  readonly bridge: Bridge
  readonly dice: Dice
  readonly archiveSeal: ArchiveSeal
}

type Kind = 'import' | 'export'
const BATCH_LINES = 200
const BATCH_UNITS = 256 * 1024
const CHUNK_UNITS = 32 * 1024
const TOLD_EVERY = 200

/** Archives going out and coming in on this face: how far they are, and the way to stop them (L-03, U-06). */
export class ArchiveDesk {
  readonly #deps: ArchiveDeps
  readonly #onWork: () => void
  readonly #works = new Map<Kind, Work>()

  constructor(deps: ArchiveDeps, onWork: () => void) {
    this.#deps = deps
    this.#onWork = onWork
  }

  works(): readonly Work[] {
    return [...this.#works.values()]
  }

  cancel(kind: Kind): void {
    if (this.#works.delete(kind)) this.#onWork()
  }

  /** Read from the store only as fast as it is taken. */
  async export(passphrase: string): Promise<ReadableStream<Uint8Array>> {
    this.#begin('export')
    const { store, dice, archiveSeal } = this.#deps
    let done = 0
    const lines = readArchive(store, dice, () => this.#note('export', ++done, 0))
    try {
      return await archiveSeal.seal(passphrase, this.#streamOf(lines))
    } catch (error) {
      this.#end('export')
      throw error
    }
  }

  /** What was read in stays when it is stopped or the file breaks off; the same file goes on from there. */
  async import(file: Blob, passphrase: string): Promise<void> {
    this.#begin('import')
    try {
      await this.#readIn(file, passphrase)
    } finally {
      this.#end('import')
    }
  }

  async #readIn(file: Blob, passphrase: string): Promise<void> {
    const { store, bridge, archiveSeal } = this.#deps
    let bytes = 0
    const lines = splitLines(await archiveSeal.open(passphrase, file), (more) => {
      bytes += more
    })
    try {
      const head = String((await lines.next()).value ?? '')
      const { id } = decodeHead(head)
      const known = await store.get('meta', 'import')
      const next = known?.kind === 'import' && equalBytes(known.id, id) ? known.next : 0
      let [from, batch, units] = [0, [] as string[], 0]
      const flush = async (): Promise<void> => {
        this.#mustGoOn('import')
        if (batch.length > 0) await bridge.request('importBatch', { head, lines: batch, from })
        from += batch.length
        batch = []
        units = 0
        this.#note('import', from, Math.round((from * file.size) / Math.max(bytes, 1)))
      }
      let isWhole = false
      for await (const line of lines) {
        isWhole = line.startsWith('{"type":"end"')
        if (from < next && batch.length === 0) {
          from++
          continue
        }
        batch.push(line)
        units += line.length
        if (batch.length >= BATCH_LINES || units >= BATCH_UNITS) await flush()
      }
      await flush()
      if (!isWhole) throw new WireError('archive/damaged')
    } finally {
      await lines.return(undefined)
    }
  }

  #streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            this.#mustGoOn('export')
            let text = ''
            while (text.length < CHUNK_UNITS) {
              const { done, value } = await lines.next()
              if (done) break
              text += `${value}\n`
            }
            if (text !== '') return controller.enqueue(toUtf8(text))
            controller.close()
            this.#end('export')
          } catch (error) {
            this.#end('export')
            controller.error(error)
          }
        },
        cancel: async () => {
          this.#end('export')
          await lines.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  #begin(kind: Kind): void {
    if (this.#works.has(kind)) throw new InputError('archive/busy')
    this.#works.set(kind, { kind, done: 0, total: 0, state: 'running' })
    this.#onWork()
  }

  #note(kind: Kind, done: number, total: number): void {
    if (!this.#works.has(kind)) return
    this.#works.set(kind, { kind, done, total, state: 'running' })
    if (done % TOLD_EVERY === 0 || total > 0) this.#onWork()
  }

  #mustGoOn(kind: Kind): void {
    if (!this.#works.has(kind)) throw new InputError('archive/cancelled')
  }

  #end(kind: Kind): void {
    if (this.#works.delete(kind)) this.#onWork()
  }
}
