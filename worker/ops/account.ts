import { toBase64url } from '#core/bytes/base64url.ts'
import { CryptoError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Account } from '../objects/account.ts'
import type { OpContext } from './context.ts'
import { settingsOf } from './settings.ts'

function at({ env }: OpContext, account: AccountId): Remote<Account> {
  return env.ACCOUNT.get(env.ACCOUNT.idFromName(toBase64url(account)))
}

/** Who put it does not matter, the root's signature does (K-05). */
export async function putManifest(
  ctx: OpContext,
  { manifest }: ArgsOf<'account.put'>,
): Promise<Answer<ReplyOf<'account.put'>>> {
  try {
    const { account, sequence, devices } = await checkManifest(manifest)
    const { signUp } = await settingsOf(ctx.env)
    const listed = devices.map(({ certificate }) => certificate.deviceId)
    return await at(ctx, account).put(manifest, { account, sequence, devices: listed }, signUp === 'open')
  } catch (error) {
    if (error instanceof CryptoError) return refuse(error.code)
    throw error
  }
}

export function getManifest(
  ctx: OpContext,
  { account }: ArgsOf<'account.get'>,
): Promise<Answer<ReplyOf<'account.get'>>> {
  return at(ctx, account).read()
}
