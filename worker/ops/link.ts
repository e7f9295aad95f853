import { toBase64url } from '#core/bytes/base64url.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import type { Answer } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Rendezvous } from '../objects/rendezvous.ts'
import type { OpContext } from './context.ts'

function at({ env }: OpContext, address: Address): Remote<Rendezvous> {
  return env.RENDEZVOUS.get(env.RENDEZVOUS.idFromName(toBase64url(address)))
}

export function putLink(ctx: OpContext, args: ArgsOf<'link.put'>): Promise<Answer<ReplyOf<'link.put'>>> {
  return at(ctx, args.address).put(args)
}

export function getLink(ctx: OpContext, args: ArgsOf<'link.get'>): Promise<Answer<ReplyOf<'link.get'>>> {
  return at(ctx, args.address).read(args)
}
