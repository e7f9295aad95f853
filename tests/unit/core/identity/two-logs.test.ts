import { describe, expect, it } from 'vitest'
import { checkProof, proofText } from '#app/transparency/proof-text.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { showsTwoLogs } from '#core/identity/two-logs.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { ManifestLog } from '../../../support/sim/manifest-log.ts'

const SEED = new Uint8Array(32).fill(3)

function grow(log: ManifestLog, count: number, mark: number): ManifestLog {
  for (let n = 0; n < count; n++) log.append(new Uint8Array(32).fill(mark + n) as AccountId, 1, Uint8Array.of(mark, n))
  return log
}

/** Two logs that are one up to a size, and what each has signed of its own end. */
async function twoLogs(common: number, ours: number, theirs: number) {
  const one = grow(new ManifestLog(SEED), common, 1)
  const other = grow(one.fork(), theirs, 100)
  grow(one, ours, 50)
  const [a, b] = [await one.signed(), await other.signed()]
  const args = { from: Math.min(a.size, b.size), to: Math.max(a.size, b.size) }
  const growth = (await (a.size < b.size ? other : one).answer(
    'transparency.growth',
    args,
  )) as ReplyOf<'transparency.growth'>
  return { ours: a, theirs: b, path: growth.path }
}

describe('[TRC12] two heads of one realm', () => {
  const listKey = signingKeyFromSeed(SEED).then(({ publicKey }) => publicKey)

  it.each([
    [5, 2, 2],
    [5, 7, 1],
    [3, 4, 40],
    [1, 2, 6],
  ])('with %i leaves alike, %i and %i of their own, show two logs by themselves', async (common, ours, theirs) => {
    const found = await twoLogs(common, ours, theirs)
    expect(await showsTwoLogs(found, await listKey)).toBe(true)
    expect(await checkProof(proofText(found, await listKey))).toEqual(await listKey)
  })

  it('of one log that grew show nothing, whatever path comes with them', async () => {
    const log = grow(new ManifestLog(SEED), 5, 1)
    const before = await log.signed()
    grow(log, 6, 50)
    const after = await log.signed()
    const { path } = (await log.answer('transparency.growth', { from: 5, to: 11 })) as ReplyOf<'transparency.growth'>
    for (const tried of [path, [], path.toReversed(), path.slice(1)]) {
      expect(await showsTwoLogs({ ours: after, theirs: before, path: tried }, await listKey)).toBe(false)
    }
  })

  it('show nothing without the realm’s signature on both, or under another key', async () => {
    const found = await twoLogs(5, 2, 2)
    const foreign = new Uint8Array(32).fill(4)
    const unsigned = { ...found.theirs, signature: new Uint8Array(64) }
    expect(await showsTwoLogs({ ...found, theirs: unsigned }, await listKey)).toBe(false)
    expect(await showsTwoLogs({ ...found, ours: { ...found.ours, root: found.theirs.root } }, await listKey)).toBe(
      false,
    )
    expect(await showsTwoLogs(found, (await signingKeyFromSeed(foreign)).publicKey)).toBe(false)
    expect(await checkProof(proofText({ ...found, theirs: unsigned }, await listKey))).toBeUndefined()
    for (const text of ['', 'AAAA', '!', proofText(found, await listKey).slice(4)]) {
      expect(await checkProof(text)).toBeUndefined()
    }
  })
})
