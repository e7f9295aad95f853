import { toBase64url } from '#core/bytes/base64url.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import type { Answer } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Channel } from '../objects/channel.ts'
import type { OpContext } from './context.ts'
import { NO_ADDRESS, refuseEnvelopes } from './envelopes.ts'
import { settingsOf } from './settings.ts'

function at({ env }: OpContext, address: Address): Remote<Channel> {
  return env.CHANNEL.get(env.CHANNEL.idFromName(toBase64url(address)))
}

export function openChannel(ctx: OpContext, args: ArgsOf<'channel.open'>): Promise<Answer<ReplyOf<'channel.open'>>> {
  return at(ctx, args.address).open(args)
}

export async function post(ctx: OpContext, args: ArgsOf<'channel.post'>): Promise<Answer<ReplyOf<'channel.post'>>> {
  const refusal = refuseEnvelopes(
    args.posts.map(({ envelope }) => envelope),
    args.address,
  )
  return refusal ?? at(ctx, args.address).post(args, await settingsOf(ctx.env))
}

export async function commit(
  ctx: OpContext,
  args: ArgsOf<'channel.commit'>,
): Promise<Answer<ReplyOf<'channel.commit'>>> {
  const refusal =
    refuseEnvelopes([args.envelope], args.address) ??
    refuseEnvelopes(
      args.welcomes.map(({ envelope }) => envelope),
      NO_ADDRESS,
    )
  return refusal ?? at(ctx, args.address).commit(args, await settingsOf(ctx.env))
}

export function fetchChannel(ctx: OpContext, args: ArgsOf<'channel.fetch'>): Promise<Answer<ReplyOf<'channel.fetch'>>> {
  return at(ctx, args.address).read(args)
}

export function ackChannel(ctx: OpContext, args: ArgsOf<'channel.ack'>): Promise<Answer<ReplyOf<'channel.ack'>>> {
  return at(ctx, args.address).ack(args)
}

export function retoken(ctx: OpContext, args: ArgsOf<'channel.retoken'>): Promise<Answer<ReplyOf<'channel.retoken'>>> {
  return at(ctx, args.address).retoken(args)
}

export async function enterChannel(
  ctx: OpContext,
  args: ArgsOf<'channel.enter'>,
): Promise<Answer<ReplyOf<'channel.enter'>>> {
  const refusal = refuseEnvelopes([args.envelope], args.address)
  return refusal ?? at(ctx, args.address).enter(args, await settingsOf(ctx.env))
}

export function channelState(ctx: OpContext, args: ArgsOf<'channel.state'>): Promise<Answer<ReplyOf<'channel.state'>>> {
  return at(ctx, args.address).readState(args)
}

export function askChannel(ctx: OpContext, args: ArgsOf<'channel.ask'>): Promise<Answer<ReplyOf<'channel.ask'>>> {
  return at(ctx, args.address).ask(args)
}

export function answerChannel(
  ctx: OpContext,
  args: ArgsOf<'channel.answer'>,
): Promise<Answer<ReplyOf<'channel.answer'>>> {
  return at(ctx, args.address).answer(args)
}

export function statePiece(ctx: OpContext, args: ArgsOf<'channel.piece'>): Promise<Answer<ReplyOf<'channel.piece'>>> {
  return at(ctx, args.address).piece(args)
}

export function reentry(ctx: OpContext, args: ArgsOf<'channel.reentry'>): Promise<Answer<ReplyOf<'channel.reentry'>>> {
  return at(ctx, args.address).reentry(args)
}

export function stash(ctx: OpContext, args: ArgsOf<'channel.stash'>): Promise<Answer<ReplyOf<'channel.stash'>>> {
  return at(ctx, args.address).stash(args)
}

export function unstash(ctx: OpContext, args: ArgsOf<'channel.unstash'>): Promise<Answer<ReplyOf<'channel.unstash'>>> {
  return at(ctx, args.address).unstash(args)
}

export function expel(ctx: OpContext, args: ArgsOf<'channel.expel'>): Promise<Answer<ReplyOf<'channel.expel'>>> {
  return at(ctx, args.address).expel(args)
}
