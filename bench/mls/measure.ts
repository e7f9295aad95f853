import { systemDice } from '#core/crypto/random.ts'
import {
  decodeGroup,
  encodeGroup,
  encodeStaged,
  exportGroupInfo,
  type Group,
  type GroupRow,
  joinGroup,
  makeKeyPackage,
  mergeStaged,
  openMessage,
  rejoinGroup,
  type SuiteId,
  sealMessage,
  stageCommit,
} from '#core/mls/index.ts'
import { MAX_ENVELOPE_BYTES } from '#core/wire/limits.ts'
import type { Shape } from './build-group.ts'
import { groups, NOW_MS, person } from './groups.ts'
import { measureStore } from './measure-store.ts'
import { MESSAGES, median, type Row } from './median.ts'

const DAY_MS = 86_400_000

const commitOf = (group: Group, adds: Uint8Array[], removes: number[], manifests: Uint8Array[]) =>
  stageCommit(
    group,
    { adds, removes, authenticatedData: { timeMs: NOW_MS, seatsHash: new Uint8Array(32), manifests } },
    systemDice,
  )

/** A commit that outgrows an envelope is not to be ordered, and opened by nobody: its row is left out, and its bytes say why. */
async function opening(row: Record<string, number>, what: string, group: Group, commit: Uint8Array): Promise<void> {
  if (commit.length <= MAX_ENVELOPE_BYTES) row[what] = await median(() => openMessage(group, commit, NOW_MS))
}

/** Milliseconds (medians) and bytes of everything that a device does in a group of that size and shape. */
export async function measure(suite: SuiteId, size: number, shape: Shape): Promise<Row> {
  const people = await Promise.all(Array.from({ length: size }, (_, i) => person(`${i}`)))
  const [first, last] = await groups(suite, people, shape)
  const joiner = await person('joiner')
  const { signer, certificate } = joiner
  const packageInput = { suite, signer, certificate, nowMs: NOW_MS, lifetimeMs: DAY_MS }
  const made = await makeKeyPackage(packageInput, systemDice)
  const adding = () => commitOf(first, [made.keyPackage], [], [joiner.manifest])
  const added = await adding()
  const updated = await commitOf(first, [], [], [])
  const welcome = added.welcomes[0]?.welcome ?? new Uint8Array()
  const joining = () =>
    joinGroup({ welcome, tree: added.tree, keyPackage: made.keyPackage, secret: made.secret, signer })
  const rows = encodeGroup(first).put
  const row: Record<string, number> = {
    'key package': await median(() => makeKeyPackage(packageInput, systemDice)),
    'add one': await median(adding),
    join: await median(joining, 3),
    update: await median(() => commitOf(first, [], [], []), 3),
    merge: await median(() => mergeStaged(first, updated.next, NOW_MS)),
    encode: await median(async () => encodeGroup(first)),
    decode: await median(async () => decodeGroup(rows, first.signer)),
  }
  await opening(row, 'open an add', last, added.commit)
  await opening(row, 'open an update', last, updated.commit)
  if (size > 2) {
    const removed = await commitOf(first, [], [1], [])
    row['remove one'] = await median(() => commitOf(first, [], [1], []), 3)
    await opening(row, 'open a remove', last, removed.commit)
    row['B remove'] = removed.commit.length
    const { signer, certificate, manifest } = people[1] ?? joiner
    const info = await exportGroupInfo(first)
    const authenticatedData = { timeMs: NOW_MS, seatsHash: new Uint8Array(32), manifests: [manifest] }
    const entering = () => rejoinGroup({ ...info, signer, certificate, authenticatedData }, systemDice)
    const entered = await entering()
    row['external join'] = await median(entering, 3)
    await opening(row, 'open an external join', last, entered.commit)
    row['B external join'] = entered.commit.length
  }
  // As in the middle of an epoch: both have sent and opened before.
  const once = await sealMessage(first, new Uint8Array(1), new Uint8Array(), systemDice)
  const { next: listening } = await openMessage(last, once.message, NOW_MS)
  for (const bytes of MESSAGES) {
    const plaintext = new Uint8Array(bytes)
    const sealed = await sealMessage(once.next, plaintext, new Uint8Array(), systemDice)
    row[`seal ${bytes} B`] = await median(() => sealMessage(once.next, plaintext, new Uint8Array(), systemDice), 21)
    row[`open ${bytes} B`] = await median(() => openMessage(listening, sealed.message, NOW_MS), 21)
    if (bytes === 256) row['B written, sent'] = bytesOf(encodeGroup(sealed.next, once.next).put)
  }
  if (updated.commit.length <= MAX_ENVELOPE_BYTES) {
    const cold = decodeGroup(encodeGroup(last).put, last.signer)
    const start = performance.now()
    await openMessage(cold, updated.commit, NOW_MS)
    row['open an update, cold'] = performance.now() - start
  }
  if (typeof indexedDB !== 'undefined') Object.assign(row, await measureStore(first))
  row['B key package'] = made.keyPackage.length
  row['B add'] = added.commit.length
  row['B welcome'] = welcome.length
  row['B tree'] = added.tree.length
  row['B update'] = updated.commit.length
  row['B stored'] = bytesOf(rows)
  row['B written, update'] = bytesOf(encodeGroup((await mergeStaged(first, updated.next, NOW_MS)).next, first).put)
  row['B staged update'] = encodeStaged(updated.next, first).length
  return row
}

function bytesOf(rows: readonly GroupRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
