import { UsageError } from '../errors.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'
import { fixed, list, object } from '../wire/schema.ts'
import { deflate, inflate } from './deflate.ts'
import { type Dated, delta } from './delta.ts'
import { type Entry, MAX_PAGE_BYTES } from './entry.ts'
import { mergeAll } from './merge.ts'

/** Page: what a range of entries came to, merged and compressed (docs/spec/log.md, LGE5). */
export const MAX_PAGE_DELTAS = 1024
export const MAX_INFLATED_BYTES = 2 * 1024 * 1024

const pageContent = list(object({ by: fixed<DeviceId>(DEVICE_BYTES), delta }), MAX_PAGE_DELTAS)

/** `taken`: how many of the entries, from the first on, the page holds; 0 when not even one fits. */
export type MadePage = { readonly page: Uint8Array; readonly taken: number }

/** @param entries the deltas of each, in the log's order */
export async function makePage(entries: readonly (readonly Dated[])[]): Promise<MadePage> {
  if (entries.length === 0) throw new UsageError('page/empty')
  for (let taken = entries.length; taken > 0; taken >>= 1) {
    const merged = [...mergeAll(entries.slice(0, taken).flat()).values()]
    if (merged.length > MAX_PAGE_DELTAS) continue
    const content = encodeCbor(merged)
    if (content.length > MAX_INFLATED_BYTES) continue
    const page = await deflate(content)
    if (page.length <= MAX_PAGE_BYTES) return { page, taken }
  }
  return { page: new Uint8Array(), taken: 0 }
}

/** @throws WireError */
export async function openPage(page: Uint8Array): Promise<readonly Dated[]> {
  return pageContent.check(decodeCbor(await inflate(page, MAX_INFLATED_BYTES), MAX_INFLATED_BYTES))
}

/** What an entry tells, whichever form it has. @throws WireError */
export async function deltasOf(entry: Entry): Promise<readonly Dated[]> {
  return 'page' in entry ? openPage(entry.page) : entry.deltas.map((one) => ({ by: entry.by, delta: one }))
}
