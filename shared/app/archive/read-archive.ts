import { toBase64url } from '#core/bytes/base64url.ts'
import type { Dice } from '#core/crypto/random.ts'
import { InputError } from '#core/errors.ts'
import { readAccount } from '../account/read-account.ts'
import type { ChannelRecord } from '../ports/records.ts'
import type { Row, Store } from '../ports/store.ts'
import { ARCHIVE_ID_BYTES, encodeHead, encodeLine } from './archive-line.ts'
import { archiveProof } from './archive-proof.ts'
import { linesInOrder } from './lines-in-order.ts'

/**
 * All that can be read on this device, a line at a time (L-03): never a key, a token or a state of a group (I-07).
 * @param counted is called after each message
 */
export async function* readArchive(
  store: Pick<Store, 'get' | 'list'>,
  dice: Dice,
  counted: () => void,
): AsyncGenerator<string> {
  const own = await readAccount(store)
  if (own === undefined) throw new InputError('archive/nothing')
  const id = dice(ARCHIVE_ID_BYTES)
  yield encodeHead({ id, account: own.account, proof: await archiveProof(store, id) })
  yield encodeLine({ type: 'profile', account: own.account, name: own.name, manifest: own.manifest })
  const settings = await store.get('settings', 'settings')
  if (settings !== undefined) yield encodeLine({ type: 'settings', values: { ...settings } })
  for (const { record } of await store.list('contacts')) {
    yield encodeLine({ type: 'contact', account: record.account, name: record.name, manifest: record.manifest })
  }
  let lines = 0
  for (const row of await store.list('channels')) {
    const { kind, title } = row.record
    const key = await keyOf(store, row)
    yield encodeLine({ type: 'channel', key, kind, title })
    for await (const { order, line } of linesInOrder(store, String(row.key))) {
      if (line.kind !== 'text' || line.vanishesAtMs !== undefined) continue // it would outlive its time (M-04)
      const { messageId: id, author, atMs, text, state, sharedBy, aside } = line
      const said = { type: 'line', in: key, order: Math.floor(order), id, author, atMs, text, state } as const
      yield encodeLine({ ...said, ...(sharedBy && { sharedBy }), ...(aside && { aside }) })
      lines++
      counted()
    }
  }
  yield encodeLine({ type: 'end', lines })
}

/** By its address a channel is found again on another device of the account; one that has none is this device's alone. */
async function keyOf(
  store: Pick<Store, 'get'>,
  { key, record }: Row<'channels'> & { readonly record: ChannelRecord },
): Promise<string> {
  const address = record.address ?? (await store.get('syncs', key))?.address
  return address === undefined ? String(key) : toBase64url(address)
}
