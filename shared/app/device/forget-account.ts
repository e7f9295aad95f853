import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord, TableName } from '../ports/records.ts'
import type { Change } from '../ports/store.ts'

/** All that this device has of its account, and what stays with whoever sits here. Each new table is to be thought about. */
const FORGOTTEN: Readonly<Record<TableName, boolean>> = {
  meta: true,
  contacts: true,
  channels: true,
  syncs: true,
  nodes: true,
  epochs: true,
  ratchets: true,
  pendings: true,
  enters: true,
  lines: true,
  lineIds: true,
  outbox: true,
  invitations: true,
  claims: true,
  packages: true,
  offers: true,
  intents: true,
  drafts: true,
  reads: true,
  settings: false,
  deltas: true,
  logged: true,
  blocks: true,
  blockIds: true,
  tasks: true,
  views: true,
  joins: true,
  asks: true,
  shares: true,
  vanishing: true,
  rosters: true,
  looks: true,
  agreed: true,
  heads: true,
}
const TABLES = (Object.keys(FORGOTTEN) as TableName[]).filter((table) => FORGOTTEN[table])
/** Without it the store itself would not open any more. */
const STORAGE_HANDLE = 'storage'

/**
 * This device was revoked (K-07): whatever opens what comes goes first from the disk and then from WebCrypto, and so does
 * what was said. What is left says so to the person. Repeating it changes nothing.
 */
export async function forgetAccount(deps: Deps, { account, manifest, sequence }: AccountRecord): Promise<void> {
  const rows = await Promise.all(
    TABLES.map(async (table) => (await deps.store.list(table)).map(({ key }): Change => ({ delete: table, key }))),
  )
  const left: AccountRecord = { kind: 'account', account, name: '', manifest, sequence, backedUp: true, revoked: true }
  await deps.store.write([...rows.flat(), { put: 'meta', key: 'account', record: left }])
  await forgetHandles(deps)
  for (const what of ['account', 'channels', 'invitations', 'devices'] as const) deps.changes.announce({ what })
}

/** What a crash left, or whatever was under way wrote behind it. Runs in the turn 'realm'. */
export async function forgetWhatIsLeft(deps: Deps): Promise<void> {
  const account = await readAccount(deps.store)
  if (account?.revoked) await forgetAccount(deps, account)
}

export async function forgetHandles({ handles }: Pick<Deps, 'handles'>): Promise<void> {
  for (const name of await handles.names()) if (name !== STORAGE_HANDLE) await handles.remove(name)
}
