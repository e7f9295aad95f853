import { toBase64url } from '#core/bytes/base64url.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import type { Answer } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Mailbox } from '../objects/mailbox.ts'
import type { OpContext } from './context.ts'

function at({ env }: OpContext, address: Address): Remote<Mailbox> {
  return env.MAILBOX.get(env.MAILBOX.idFromName(toBase64url(address)))
}

export function openMailbox(ctx: OpContext, args: ArgsOf<'mailbox.open'>): Promise<Answer<ReplyOf<'mailbox.open'>>> {
  return at(ctx, args.address).open(args)
}

export function closeMailbox(ctx: OpContext, args: ArgsOf<'mailbox.close'>): Promise<Answer<ReplyOf<'mailbox.close'>>> {
  return at(ctx, args.address).close(args)
}

export function attach(ctx: OpContext, args: ArgsOf<'mailbox.attach'>): Promise<Answer<ReplyOf<'mailbox.attach'>>> {
  return at(ctx, args.address).attach({ token: args.token, session: ctx.session })
}

export function fetchMailbox(ctx: OpContext, args: ArgsOf<'mailbox.fetch'>): Promise<Answer<ReplyOf<'mailbox.fetch'>>> {
  return at(ctx, args.address).read(args)
}

export function ackMailbox(ctx: OpContext, args: ArgsOf<'mailbox.ack'>): Promise<Answer<ReplyOf<'mailbox.ack'>>> {
  return at(ctx, args.address).ack(args)
}

export function makeDrop(ctx: OpContext, args: ArgsOf<'mailbox.drop'>): Promise<Answer<ReplyOf<'mailbox.drop'>>> {
  return at(ctx, args.address).drop(args)
}
