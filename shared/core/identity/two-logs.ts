import { equalBytes } from '../bytes/equal.ts'
import { earlierRoot, type Head, verifyHead } from './merkle.ts'

/** A head of the log of manifests, as the realm has signed it (TRL2). */
export type SignedHead = Head & { readonly signature: Uint8Array }

/** Two heads that one realm has signed, and what shows that they are of two logs (TRC12). */
export type TwoLogs = {
  readonly ours: SignedHead
  readonly theirs: SignedHead
  /** RFC 9162 section 2.1.4 from the smaller size to the larger one, as the log of the larger one has it; empty for one size. */
  readonly path: readonly Uint8Array[]
}

/**
 * Whether a realm with this list key keeps two logs, for whoever trusts neither of the two who were shown them: two roots of one
 * size; or a path by which the larger head itself has another root at the smaller size than the one that was signed.
 * A smaller size that is a power of two has no such path: there the realm is to be asked for one, and there is none.
 */
export async function showsTwoLogs({ ours, theirs, path }: TwoLogs, listKey: Uint8Array): Promise<boolean> {
  for (const { signature, ...head } of [ours, theirs]) if (!(await verifyHead(head, signature, listKey))) return false
  const [smaller, larger] = ours.size <= theirs.size ? [ours, theirs] : [theirs, ours]
  if (smaller.size === larger.size) return !equalBytes(smaller.root, larger.root)
  const root = earlierRoot(smaller.size, larger, path)
  return root !== undefined && !equalBytes(root, smaller.root)
}
