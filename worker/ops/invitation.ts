import { sha256 } from '#core/crypto/hash.ts'
import { verifyClaim } from '#core/identity/invitation.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { InvitationId } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Directory } from '../objects/directory.ts'
import type { OpContext } from './context.ts'

const SHARDS = 16

function at({ env }: OpContext, id: InvitationId): Remote<Directory> {
  const shard = (sha256(id)[0] ?? 0) % SHARDS
  return env.DIRECTORY.get(env.DIRECTORY.idFromName(`invitations/${shard}`))
}

export async function putInvitation(
  ctx: OpContext,
  args: ArgsOf<'invitation.put'>,
): Promise<Answer<ReplyOf<'invitation.put'>>> {
  if (!isBucket(args.blob.length)) return refuse('invitation/size') // T-02
  return at(ctx, args.id).put(args)
}

export async function claimInvitation(
  ctx: OpContext,
  { id, claimKey, signature }: ArgsOf<'invitation.claim'>,
): Promise<Answer<ReplyOf<'invitation.claim'>>> {
  if (!(await verifyClaim(id, claimKey, signature))) return refuse('invitation/signature')
  return at(ctx, id).claim(id, claimKey)
}

export function revokeInvitation(
  ctx: OpContext,
  args: ArgsOf<'invitation.revoke'>,
): Promise<Answer<ReplyOf<'invitation.revoke'>>> {
  return at(ctx, args.id).revoke(args)
}
