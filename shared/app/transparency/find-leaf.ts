import { sha256 } from '#core/crypto/hash.ts'
import { manifestLeaf, verifyInclusion } from '#core/identity/merkle.ts'
import type { LogHead } from '#core/message/body.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { askProof } from './ask-proof.ts'

type Given = { readonly account: AccountId; readonly sequence: number; readonly manifest: Uint8Array }

/**
 * Whether the log at this head holds a manifest (TRC5). 'not-yet': the realm says that it does not; what was put a moment
 * ago comes there a moment later.
 */
export async function findLeaf(
  { relay }: Pick<Deps, 'relay'>,
  head: LogHead,
  { account, sequence, manifest }: Given,
): Promise<'there' | 'not-yet' | 'false'> {
  if (head.size === 0) return 'not-yet'
  const proof = await askProof(relay.call('transparency.leaf', { account, sequence, size: head.size }))
  if (proof === undefined) return 'false'
  const { index, path } = proof
  if (index === undefined) return 'not-yet'
  const leaf = manifestLeaf(account, sequence, sha256(manifest))
  return verifyInclusion({ leaf, index, size: head.size, path, root: head.root }) ? 'there' : 'false'
}
