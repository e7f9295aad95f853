import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import type { Group } from './group.ts'
import { type SuiteId, toSuiteId } from './suite.ts'
import { decodeWhole } from './wire.ts'

/**
 * A group as it lies on disk (MLS16): rows, numbered within three parts. Each begins with 1B version, 2B suite, 8B epoch in
 * which it was written.
 *
 *   nodes     the ratchet tree, a page of up to seven nodes each (tree-pages.ts)
 *   epochs    one each for this epoch and the past ones, and one for the table of the channel context (epoch-rows.ts)
 *   ratchets  secret trees of all of these epochs, as far as they were touched (ratchet-rows.ts)
 *
 * What changes is told by identity: a group is a value, and what a step leaves alone is the same object after it.
 */
export type GroupPart = 'nodes' | 'epochs' | 'ratchets'
export type RowName = { readonly part: GroupPart; readonly at: number }
export type GroupRow = RowName & { readonly bytes: Uint8Array }
export type GroupChange = { readonly put: readonly GroupRow[]; readonly drop: readonly RowName[] }

export const MAX_ROW_BYTES = 16 * 1024 * 1024
const VERSION = 0x02

export function head({ suite }: Pick<Group, 'suite'>, epoch: bigint | number): Writer {
  return new Writer().u8(VERSION).u16(suite).u64(epoch)
}

export type Head = { readonly r: Reader; readonly suite: SuiteId; readonly epoch: number }

/** @throws WireError 'group/version', 'mls/suite' */
export function readHead(bytes: Uint8Array, maxBytes = MAX_ROW_BYTES): Head {
  const r = new Reader(bytes, maxBytes)
  if (r.u8() !== VERSION) throw new WireError('group/version')
  return { r, suite: toSuiteId(r.u16()), epoch: r.u64() }
}

export function readBlock<T>(r: Reader, decode: (bytes: Uint8Array, offset: number) => [T, number] | undefined): T {
  return decodeWhole(decode, r.block(MAX_ROW_BYTES), MAX_ROW_BYTES, 'group/part')
}

export function isTorn(group: Pick<Group, 'suite'>, row: Head, epoch: number): boolean {
  return row.suite !== group.suite || row.epoch > epoch
}
