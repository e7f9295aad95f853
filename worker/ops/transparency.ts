import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import type { Answer } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Transparency } from '../objects/transparency.ts'
import { theTransparency } from '../transparency/place.ts'
import type { OpContext } from './context.ts'

function log({ env }: OpContext): Remote<Transparency> {
  return theTransparency(env)
}

export function transparencyHead(ctx: OpContext): Promise<Answer<ReplyOf<'transparency.head'>>> {
  return log(ctx).head()
}

export function transparencyLeaf(
  ctx: OpContext,
  args: ArgsOf<'transparency.leaf'>,
): Promise<Answer<ReplyOf<'transparency.leaf'>>> {
  return log(ctx).leaf(args)
}

export function transparencyGrowth(
  ctx: OpContext,
  args: ArgsOf<'transparency.growth'>,
): Promise<Answer<ReplyOf<'transparency.growth'>>> {
  return log(ctx).growth(args)
}

export function transparencyAccount(
  ctx: OpContext,
  args: ArgsOf<'transparency.account'>,
): Promise<Answer<ReplyOf<'transparency.account'>>> {
  return log(ctx).leavesOf(args)
}
