import { toBase64url } from '#core/bytes/base64url.ts'
import { verifyVaultRecord } from '#core/identity/vault-record.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Log } from '../objects/log.ts'
import type { OpContext } from './context.ts'
import { settingsOf } from './settings.ts'

function at({ env }: OpContext, address: Address): Remote<Log> {
  return env.LOG.get(env.LOG.idFromName(toBase64url(address)))
}

export async function openLog(ctx: OpContext, args: ArgsOf<'log.open'>): Promise<Answer<ReplyOf<'log.open'>>> {
  if (!(await verifyVaultRecord(args.vault, args.signature, args.owner))) return refuse('vault/signature')
  const { signUp } = await settingsOf(ctx.env)
  return at(ctx, args.address).open(args, signUp === 'open')
}

export async function append(ctx: OpContext, args: ArgsOf<'log.append'>): Promise<Answer<ReplyOf<'log.append'>>> {
  if (!args.entries.every(({ bytes }) => isBucket(bytes.length))) return refuse('log/size') // T-02
  return at(ctx, args.address).append(args, await settingsOf(ctx.env))
}

export function fetchLog(ctx: OpContext, args: ArgsOf<'log.fetch'>): Promise<Answer<ReplyOf<'log.fetch'>>> {
  return at(ctx, args.address).read(args)
}

export function backLog(ctx: OpContext, args: ArgsOf<'log.back'>): Promise<Answer<ReplyOf<'log.back'>>> {
  return at(ctx, args.address).readBack(args)
}

export async function compact(ctx: OpContext, args: ArgsOf<'log.compact'>): Promise<Answer<ReplyOf<'log.compact'>>> {
  if (!isBucket(args.entry.bytes.length)) return refuse('log/size')
  return at(ctx, args.address).compact(args, await settingsOf(ctx.env))
}

export function watch(ctx: OpContext, args: ArgsOf<'log.watch'>): Promise<Answer<ReplyOf<'log.watch'>>> {
  return at(ctx, args.address).watch(args)
}

export function getVault(ctx: OpContext, { address }: ArgsOf<'vault.get'>): Promise<Answer<ReplyOf<'vault.get'>>> {
  return at(ctx, address).readVault()
}

/** Who put it does not matter, the owner's signature does (LOG2); an owner never changes. */
export async function putVault(ctx: OpContext, args: ArgsOf<'vault.put'>): Promise<Answer<ReplyOf<'vault.put'>>> {
  const log = at(ctx, args.address)
  const owner = await log.owner()
  if (owner === undefined) return refuse('log/unknown')
  if (!(await verifyVaultRecord(args.vault, args.signature, owner))) return refuse('vault/signature')
  return log.putVault(args)
}
