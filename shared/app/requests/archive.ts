import type { HandlersOf } from './handlers.ts'

/** L-03. The face opens and seals the archive; what comes in is written by the engine, a batch at a time. */
export type ArchiveRequests = {
  importBatch: { args: { lines: readonly string[]; done: number; total: number }; reply: null }
}

export const archiveHandlers = {} as unknown as HandlersOf<ArchiveRequests>
