import type { TableName } from '#app/ports/records.ts'

export const DATABASE_NAME = 'stave'

/** Everything that lies in the database besides the records: table keys (wrapped) and the writer's fence. */
export type ServiceTable = 'keys' | 'fence'
/** Written by no version any more. */
type FormerTable = 'trees'
export type AnyTable = TableName | ServiceTable | FormerTable

/**
 * Append-only: a version that was released is never edited. A test opens a database of every earlier version.
 * '' means keys given with each row, '++' numbers rows by itself.
 */
export const versions: readonly Readonly<Partial<Record<AnyTable, '' | '++'>>>[] = [
  {
    keys: '',
    fence: '',
    meta: '',
    contacts: '',
    channels: '',
    syncs: '',
    trees: '',
    epochs: '',
    ratchets: '',
    pendings: '',
    lines: '',
    lineIds: '',
    outbox: '',
    invitations: '',
    claims: '',
    intents: '++',
    drafts: '',
    reads: '',
    settings: '',
  },
  { nodes: '', enters: '', deltas: '', logged: '', blocks: '', blockIds: '', tasks: '' },
  { views: '' },
  { packages: '', offers: '' },
  { joins: '', asks: '' },
  { shares: '' },
  { rosters: '', looks: '', agreed: '' },
  { vanishing: '' },
  { heads: '' },
]
