import type { Head } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import type { Store } from '../ports/store.ts'

const KEPT_HEADS = 32

/** Where the chain stood at one of the last places, to compare with what members saw (C-06): a row each, so that a message writes one. */
export function noteHead(draft: Draft, id: string, position: number, head: Head): void {
  draft.put('heads', [id, position], { head })
  draft.delete('heads', [id, position - KEPT_HEADS])
}

/** @returns undefined for a place that this device has not stood at, or not lately */
export async function headAt(draft: Draft, id: string, position: number): Promise<Head | undefined> {
  return (await draft.get('heads', [id, position]))?.head
}

/** The chain goes on from elsewhere. */
export async function forgetHeads(store: Pick<Store, 'list'>, draft: Draft, id: string): Promise<void> {
  for (const { key } of await store.list('heads', { of: id })) draft.delete('heads', key)
}
