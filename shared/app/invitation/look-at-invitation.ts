import { InputError } from '#core/errors.ts'
import { decodeOffer } from '#core/message/offer.ts'
import { readAccount } from '../account/read-account.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { InvitationPreview } from '../face/join-face.ts'
import { currentManifest, fetchOffer, noteClaim } from './accept-invitation.ts'

/**
 * What a link is an invitation to, before anything comes of it. Looking takes it up: the realm gives it out once (INV5), and
 * accepting goes on with what was seen. Runs in the turn 'realm'.
 * @throws as acceptInvitation
 */
export async function lookAtInvitation(deps: Deps, link: string): Promise<InvitationPreview> {
  const account = await readAccount(deps.store)
  if (account === undefined) throw new InputError('identity/none')
  const { key, claim } = await noteClaim(deps, link, { looking: true })
  const seen = claim.offer ?? claim.seen ?? (await fetchOffer(deps, claim))
  const offer = decodeOffer(seen)
  const { manifest } = await currentManifest(deps, account, offer)
  if (claim.looking && claim.seen === undefined) {
    await deps.store.write([{ put: 'claims', key, record: { ...claim, seen } }])
  }
  const known = (await findContact(deps.store, manifest.account))?.record
  const { channel, name } = offer
  return { name: known?.name ?? name, known: known !== undefined, ...(channel && { channel }) }
}
