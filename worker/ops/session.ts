import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { PROTOCOL_VERSION } from '#core/wire/versions.ts'
import { type Answer, refuse } from '../answer.ts'
import { incarnation, listKey } from '../secrets.ts'
import type { OpContext } from './context.ts'

export async function hello(ctx: OpContext, args: ArgsOf<'session.hello'>): Promise<Answer<ReplyOf<'session.hello'>>> {
  if (args.version !== PROTOCOL_VERSION) return refuse('session/version')
  const { publicKey } = await listKey(ctx.env)
  return { reply: { incarnation: incarnation(ctx.env), version: PROTOCOL_VERSION, listKey: publicKey } }
}
