import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { verifyPublished } from '#core/identity/published-packages.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Remote } from '../env.ts'
import type { Account } from '../objects/account.ts'
import type { OpContext } from './context.ts'

function at({ env }: OpContext, account: AccountId): Remote<Account> {
  return env.ACCOUNT.get(env.ACCOUNT.idFromName(toBase64url(account)))
}

/** PKG1: a device that the account's newest manifest lists speaks for itself, and for no other one. */
export async function putPackages(
  ctx: OpContext,
  { signature, ...packages }: ArgsOf<'packages.put'>,
): Promise<Answer<ReplyOf<'packages.put'>>> {
  const account = at(ctx, packages.account)
  const newest = await account.newest()
  if (newest === undefined) return refuse('account/unknown')
  const { devices } = await checkManifest(newest.manifest, packages.account)
  const listed = devices.find(({ certificate }) => equalBytes(certificate.deviceId, packages.device))
  if (listed === undefined) return refuse('packages/device')
  if (!(await verifyPublished(packages, signature, listed.certificate.signatureKey)))
    return refuse('packages/signature')
  return account.putPackages(packages, newest.sequence)
}

export function countPackages(
  ctx: OpContext,
  { account, device, suite }: ArgsOf<'packages.count'>,
): Promise<Answer<ReplyOf<'packages.count'>>> {
  return at(ctx, account).countPackages(device, suite)
}

export function takePackages(
  ctx: OpContext,
  { account, suite }: ArgsOf<'packages.take'>,
): Promise<Answer<ReplyOf<'packages.take'>>> {
  return at(ctx, account).takePackages(suite)
}
