import { addressOfName, isChannelName } from '#core/identity/channel-name.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Directory } from '../objects/directory.ts'
import type { OpContext } from './context.ts'

const SHARDS = 16
const BAD_NAME = refuse('name/form')
type Place = { readonly shard: Remote<Directory>; readonly address: Address }

/** NAM1: of a name its hash goes on from here. */
function find({ env }: OpContext, name: string): Place | undefined {
  if (!isChannelName(name)) return undefined
  const address = addressOfName(name)
  const shard = (address[0] ?? 0) % SHARDS
  return { shard: env.DIRECTORY.get(env.DIRECTORY.idFromName(`names/${shard}`)), address }
}

export async function registerName(
  ctx: OpContext,
  { name, ...registration }: ArgsOf<'name.register'>,
): Promise<Answer<ReplyOf<'name.register'>>> {
  const place = find(ctx, name)
  return place ? place.shard.registerName(place.address, registration) : BAD_NAME
}

export async function findName(ctx: OpContext, { name }: ArgsOf<'name.find'>): Promise<Answer<ReplyOf<'name.find'>>> {
  const place = find(ctx, name)
  return place ? place.shard.findName(place.address) : BAD_NAME
}

export async function askName(
  ctx: OpContext,
  { name, ...ask }: ArgsOf<'name.ask'>,
): Promise<Answer<ReplyOf<'name.ask'>>> {
  if (!isBucket(ask.request.length)) return refuse('name/size') // T-02
  const place = find(ctx, name)
  return place ? place.shard.askName(place.address, ask) : BAD_NAME
}

export async function askedName(
  ctx: OpContext,
  { name, token }: ArgsOf<'name.asked'>,
): Promise<Answer<ReplyOf<'name.asked'>>> {
  const place = find(ctx, name)
  return place ? place.shard.askedName(place.address, token) : BAD_NAME
}

export async function settleName(
  ctx: OpContext,
  { name, token, id }: ArgsOf<'name.settle'>,
): Promise<Answer<ReplyOf<'name.settle'>>> {
  const place = find(ctx, name)
  return place ? place.shard.settleName(place.address, token, id) : BAD_NAME
}
