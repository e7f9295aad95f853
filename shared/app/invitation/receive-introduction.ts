import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { firstHead } from '#core/channel/chain.ts'
import { openHpke } from '#core/crypto/hpke.ts'
import { labels } from '#core/crypto/labels.ts'
import { CryptoError, StoreError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { decodeIntroduction, type Introduction } from '#core/message/introduction.ts'
import { checkRoster } from '#core/message/roster.ts'
import { type Group, handlesOf, handlesOfSecret, joinGroup, kindOf, members, ownLeafOf } from '#core/mls/index.ts'
import { unpad } from '#core/padding/padding.ts'
import { decodeEnvelope } from '#core/wire/envelope.ts'
import { type Address, TOKEN_BYTES, type Token } from '#core/wire/ids.ts'
import { deviceSigner, HPKE_HANDLE } from '../account/device-signer.ts'
import { dropHandles } from '../account/mls-handles.ts'
import { readDevice } from '../account/read-account.ts'
import { outerKeyOf, saveGroup } from '../channel/loaded.ts'
import { newChannelId } from '../channel/make-channel.ts'
import { spread } from '../channel/spread.ts'
import { checkKnown } from '../contact/check-known.ts'
import { findContact, putContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { ChannelRecord, InvitationRecord } from '../ports/records.ts'
import { noteSameNames } from '../transparency/same-names.ts'

/** After joining, a device commits once, so that the tree stays cheap; spread, so that newcomers don't collide. */
const HEAL_WITHIN_MS = 20_000

/**
 * Somebody took up an invitation: checks who (certificate, manifest, leaf) before any contact is shown, and joins their
 * channel. The invitation's key package is used up with it.
 * @returns the new channel, or undefined when this introduction was applied before
 * @throws CryptoError, WireError, StateError when it is not to be trusted: the mail is dropped
 */
export async function receiveIntroduction(deps: Deps, envelope: Uint8Array): Promise<string | undefined> {
  const device = await readDevice(deps.store)
  const hpke = await deps.handles.load(HPKE_HANDLE)
  if (device === undefined || hpke === undefined) throw new StoreError('store/keys-missing')
  const { body } = decodeEnvelope(envelope)
  const keyPair = { privateKey: hpke, publicKey: device.hpkeKey }
  const introduction = decodeIntroduction(unpad(await openHpke(keyPair, labels.welcome, new Uint8Array(), body)))
  const key = toBase64url(introduction.invitation)
  const invitation = await deps.store.get('invitations', key)
  if (invitation?.state !== 'open') return undefined

  const manifest = await checkManifest(introduction.manifest)
  const contact = (await findContact(deps.store, manifest.account))?.record
  if (contact !== undefined) await checkKnown(deps, contact, introduction.manifest) // K-05
  const group = await joinGroup({
    welcome: introduction.welcome,
    tree: introduction.tree,
    keyPackage: invitation.keyPackage,
    secret: invitation.keyPackageSecret,
    signer: await deviceSigner(deps.handles, device),
  })
  const theirs = members(group).filter((member) => equalBytes(member.account, manifest.account))
  if (theirs.length === 0) throw new CryptoError('introduction/not-a-member')
  // What is shown as a conversation of two must be one by the group's own state: others could read along.
  if (kindOf(group) !== introduction.kind) throw new CryptoError('introduction/kind')
  checkRoster(introduction, members(group))
  const own = introduction.seats.find(({ leaf }) => leaf === ownLeafOf(group))
  const isOwn = own && equalBytes(own.seat, introduction.seat) && equalBytes(own.entry, introduction.entry.id)
  if (!isOwn) throw new CryptoError('introduction/seat')

  // A channel that the account's log told of already: this device comes in by itself, in place of the leaf that it has now.
  const known = (await deps.store.list('channels')).find(({ record }) => isAt(record, introduction.address))
  const id = known === undefined ? newChannelId(deps) : String(known.key)
  const draft = new Draft(deps.store)
  if (known === undefined) await putChannel(deps, draft, id, introduction, invitation, group)
  const { account, sequence } = manifest
  await putContact(deps, draft, { account, name: introduction.name, manifest: introduction.manifest, sequence })
  const { keyPackageSecret: _, ...kept } = invitation
  draft.put('invitations', key, { ...kept, state: 'used', keyPackageSecret: new Uint8Array() })
  await draft.commit()
  await noteSameNames(deps)
  await dropHandles(deps.handles, handlesOfSecret(invitation.keyPackageSecret), handlesOf(group))
  return id
}

function isAt(record: ChannelRecord, address: Address): boolean {
  return record.address !== undefined && equalBytes(record.address, address)
}

async function putChannel(
  deps: Deps,
  draft: Draft,
  id: string,
  introduction: Introduction,
  invitation: InvitationRecord,
  group: Group,
): Promise<void> {
  const { address, seat, token, kind, name, commits, seats, accounts, entry } = introduction
  saveGroup(draft, id, group, undefined)
  draft.put('syncs', id, {
    address,
    seat,
    token,
    label: invitation.label,
    retoken: deps.dice(TOKEN_BYTES) as Token,
    ...(entry.token === undefined ? {} : { reentry: deps.dice(TOKEN_BYTES) as Token }),
    cursor: 0,
    head: firstHead(address),
    heads: [],
    commits,
    lastCommit: 0,
    acked: 0,
    ahead: [],
    keys: [{ commits, key: await outerKeyOf(group) }],
    owed: [],
    wanted: [{ want: 'heal', notBeforeMs: deps.clock.now() + spread(deps, HEAL_WITHIN_MS) }],
    seats,
    accounts,
  })
  draft.put('channels', id, {
    title: kind === 'group' ? introduction.title : name,
    kind,
    address,
    ...(entry.token === undefined ? {} : { entry: { id: entry.id, token: entry.token } }),
    state: 'open',
    lastText: '',
    lastAtMs: deps.clock.now(),
    lastState: 'none',
    theirs: 0,
  })
}
