import { nextLogHead } from '#core/channel/log-chain.ts'
import { RelayError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import type { Dated } from '#core/log/delta.ts'
import { mergeAll } from '#core/log/merge.ts'
import { packDeltas } from '#core/log/pack.ts'
import { sealEntry } from '#core/log/seal.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { OwnLog } from './own-log.ts'
import { withRow } from './vanishing-places.ts'

/** Of lines that one page has appended once more; more of them are another page's. */
export const MAX_CARRIED_BYTES = 512 * 1024

export function isVanishing({ delta }: Dated): boolean {
  return delta.kind === 'line' && delta.vanishesAtMs !== undefined
}

/** Of what a page must not hold, for it is never taken back (VAN5): what has not vanished yet. */
export function stillToVanish(told: readonly Dated[], nowMs: number): readonly Dated[] {
  const left = told.filter(({ delta }) => delta.kind === 'line' && (delta.vanishesAtMs ?? 0) > nowMs)
  return [...mergeAll(left).values()]
}

/** Appends it once more, behind everything. @returns undefined when others were first */
export async function carryOn(deps: Deps, own: OwnLog, dated: readonly Dated[]): Promise<OwnLog | undefined> {
  if (dated.length === 0) return own
  const { address, ring, device, record } = own
  const entries = packDeltas(
    device.deviceId,
    dated.map(({ delta }) => delta),
  )
  const sealed: { readonly id: PostId; readonly bytes: Uint8Array }[] = []
  let { position, head, singles, vanishing } = record
  for (const entry of entries) {
    position += 1
    singles += 1
    const told = entry.deltas.map((delta) => ({ delta }))
    vanishing = withRow(vanishing, position, told)
    const bytes = await sealEntry(newest(ring), { address, position }, entry, deps.dice)
    head = nextLogHead(head, position, bytes)
    sealed.push({ id: deps.dice(POST_ID_BYTES) as PostId, bytes })
  }
  try {
    const after = { position: record.position, head: record.head }
    await deps.relay.call('log.append', { address, token: newest(ring).logToken, after, entries: sealed })
  } catch (error) {
    if (error instanceof RelayError && error.code === 'log/behind') return undefined
    throw error
  }
  const next = { ...record, position, head, singles, vanishing }
  await deps.store.write([{ put: 'meta', key: 'log', record: next }])
  return { ...own, record: next }
}
