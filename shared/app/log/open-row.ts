import { CryptoError, StateError, WireError } from '#core/errors.ts'
import type { Dated } from '#core/log/delta.ts'
import type { Covers, Entry } from '#core/log/entry.ts'
import { deltasOf } from '#core/log/page.ts'
import { openEntry } from '#core/log/seal.ts'
import type { LogRow } from '#core/wire/operations.ts'
import type { OwnLog } from './own-log.ts'

export type OpenedRow = { readonly entry: Entry; readonly told: readonly Dated[] }

/**
 * @returns undefined for what is not the account's, or not any more (KRG3): it is passed over and counted
 * @throws StateError 'log/generation' under a key that this device has still to learn, 'log/newer' by a later version: nothing
 *   is applied past these
 */
export async function openRow(
  { ring, address }: Pick<OwnLog, 'ring' | 'address'>,
  { position, bytes }: LogRow,
): Promise<OpenedRow | undefined> {
  try {
    const entry = await openEntry(ring, { address, position }, bytes)
    return { entry, told: await deltasOf(entry) }
  } catch (error) {
    if (error instanceof WireError && error.code === 'log/newer') throw new StateError('log/newer', { cause: error })
    if (error instanceof CryptoError || error instanceof WireError) return undefined
    throw error
  }
}

/** The rows in whose place it stands, if it is a page. */
export function coveredBy(opened: OpenedRow | undefined): Covers | undefined {
  return opened !== undefined && 'page' in opened.entry ? opened.entry.covers : undefined
}
