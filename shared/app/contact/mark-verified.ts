import { fromBase64url } from '#core/bytes/base64url.ts'
import { InputError, WireError } from '#core/errors.ts'
import { matchesSafetyCode } from '#core/identity/safety-number.ts'
import { ACCOUNT_BYTES, type AccountId } from '#core/wire/ids.ts'
import { accountOf } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import { noteSameNames } from '../transparency/same-names.ts'
import { changeContact, findContact } from './find-contact.ts'

/** The person says that the safety number is the same on both sides, or takes that back (K-11). */
export async function markVerified(deps: Deps, id: string, is: boolean): Promise<void> {
  const account = readPersonId(id)
  const verified = { is, atMs: deps.clock.now() }
  const known = await changeContact(deps, account, (contact) => ({ ...contact, verified }))
  if (!known) throw new InputError('person/unknown')
  await noteSameNames(deps)
}

/**
 * A code that was scanned or pasted from the other's screen. Only their own, made for this account, verifies them.
 * @throws InputError 'person/unknown', 'person/code'
 */
export async function comparePersonCode(deps: Deps, id: string, code: string): Promise<boolean> {
  const own = await accountOf(deps)
  const contact = await findContact(deps.store, readPersonId(id))
  if (contact === undefined) throw new InputError('person/unknown')
  const matches = readCode(code, own.account, contact.record.account)
  if (matches) await markVerified(deps, id, true)
  return matches
}

/** @throws InputError 'person/unknown' */
export function readPersonId(id: string): AccountId {
  const bytes = read(id, 'person/unknown')
  if (bytes.length !== ACCOUNT_BYTES) throw new InputError('person/unknown')
  return bytes as AccountId
}

function readCode(code: string, own: AccountId, theirs: AccountId): boolean {
  const bytes = read(code.trim(), 'person/code')
  try {
    return matchesSafetyCode(bytes, own, theirs)
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    throw new InputError('person/code', {}, { cause })
  }
}

function read(text: string, code: string): Uint8Array {
  try {
    return fromBase64url(text)
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    throw new InputError(code, {}, { cause })
  }
}
