import { type ImportBatch, importBatch } from '../archive/import-batch.ts'
import type { HandlersOf } from './handlers.ts'

/** L-03. The face opens and seals the archive; what comes in is written by the engine, a batch at a time. */
export type ArchiveRequests = {
  importBatch: { args: ImportBatch; reply: null }
}

export const archiveHandlers: HandlersOf<ArchiveRequests> = {
  importBatch: async (deps, hands, batch) => {
    for (const channelId of await importBatch(deps, hands, batch)) deps.changes.announce({ what: 'lines', channelId })
    deps.changes.announce({ what: 'channels' })
    return null
  },
}
