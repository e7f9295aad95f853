import { equalBytes } from '#core/bytes/equal.ts'
import { verifyConsistency, verifyHead } from '#core/identity/merkle.ts'
import type { SignedHead } from '#core/identity/two-logs.ts'
import type { LogHead } from '#core/message/body.ts'
import type { Deps } from '../deps.ts'
import { type Wrong, wrong } from './alarms.ts'
import { askProof } from './ask-proof.ts'

type Asked = Pick<Deps, 'relay'>

/** The head that the realm shows now, if it is signed (TRC11) and goes on from the one that is known (TRC3). */
export async function followHead(
  { relay }: Asked,
  known: LogHead | undefined,
  listKey: Uint8Array,
): Promise<{ readonly head: SignedHead } | { readonly wrong: Wrong }> {
  const head = await relay.call('transparency.head', {})
  const { size, signature } = head
  if (!(await verifyHead(head, signature, listKey))) return { wrong: wrong('unsigned', undefined, head) }
  if (known === undefined) return { head }
  if (size < known.size) return { wrong: wrong('rollback', undefined, head) }
  return (await goesOn({ relay }, known, head)) ? { head } : { wrong: wrong('split-view', undefined, head) }
}

/** Whether the log at `to` begins with the one at `from`, which is not larger. */
export async function goesOn({ relay }: Asked, from: LogHead, to: LogHead): Promise<boolean> {
  if (from.size === to.size) return equalBytes(from.root, to.root)
  if (from.size === 0) return true
  const proof = await askProof(relay.call('transparency.growth', { from: from.size, to: to.size }))
  return proof !== undefined && verifyConsistency(from, to, proof.path)
}

/** A head that somebody was shown lies on the way to the one that is shown here, which was asked for later (TRC4). */
export async function isPartOf(asked: Asked, view: LogHead, head: LogHead): Promise<boolean> {
  return view.size <= head.size && goesOn(asked, view, head)
}
