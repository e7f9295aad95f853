import { WireError } from '#core/errors.ts'
import { decodeStaged, type Group, handlesOf, handlesOfSecret } from '#core/mls/index.ts'
import { loadGroup } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { KeyHandles } from '../ports/keys.ts'
import { deviceSigner } from './device-signer.ts'
import { readDevice } from './read-account.ts'

const PREFIX = 'mls/'

/** After what stands in their place is stored: handles that it does not need any more open nothing from here on (MLS19). */
export async function dropHandles(
  handles: KeyHandles,
  before: readonly string[],
  needed: readonly string[] = [],
): Promise<void> {
  await Promise.all(before.filter((name) => !needed.includes(name)).map((name) => handles.remove(name)))
}

/**
 * As an engine starts: handles of key packages that were never stored, or of what was stored and not cleared up after,
 * because it stopped in between. Groups are read only while a handle is left that no invitation needs.
 */
export async function sweepHandles({ store, handles }: Pick<Deps, 'store' | 'handles'>): Promise<void> {
  const left = new Set((await handles.names()).filter((name) => name.startsWith(PREFIX)))
  if (left.size === 0) return
  const keep = (names: readonly string[]) => {
    for (const name of names) left.delete(name)
  }
  for (const { record } of await store.list('invitations')) {
    if (record.state === 'open') keep(handlesOfSecret(record.keyPackageSecret))
  }
  for (const { record } of await store.list('packages')) keep(handlesOfSecret(record.secret))
  const device = await readDevice(store)
  if (device === undefined) return
  const signer = await deviceSigner(handles, device)
  for (const { record } of await store.list('enters')) keep(handlesOf(decodeStaged(record.next, signer)))
  for (const { key } of left.size === 0 ? [] : await store.list('channels')) {
    const group = await loadGroup(store, String(key), signer).catch(ifLost)
    if (group !== undefined) keep(handlesOf(group))
  }
  await dropHandles(handles, [...left])
}

/** A state that can't be read any more opens nothing: its device comes back with another one (C-07). */
function ifLost(error: unknown): Group | undefined {
  if (error instanceof WireError) return undefined
  throw error
}
