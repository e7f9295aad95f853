import { equalBytes } from '#core/bytes/equal.ts'
import { firstHead } from '#core/channel/chain.ts'
import { openHpke } from '#core/crypto/hpke.ts'
import { labels } from '#core/crypto/labels.ts'
import { CryptoError, StateError, StoreError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { decodeIntroduction, type Introduction } from '#core/message/introduction.ts'
import { checkRoster } from '#core/message/roster.ts'
import { type Group, handlesOf, handlesOfSecret, joinGroup, kindOf, members, ownLeafOf } from '#core/mls/index.ts'
import { unpad } from '#core/padding/padding.ts'
import { decodeEnvelope } from '#core/wire/envelope.ts'
import { type AccountId, type Address, TOKEN_BYTES, type Token, type WakeLabel } from '#core/wire/ids.ts'
import { deviceSigner, HPKE_HANDLE } from '../account/device-signer.ts'
import { dropHandles } from '../account/mls-handles.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { followGroup } from '../channel/follow-group.ts'
import { healWithinMs } from '../channel/heal-schedule.ts'
import { isOut } from '../channel/is-out.ts'
import { dropGroup, outerKeyOf, saveGroup } from '../channel/loaded.ts'
import { newChannelId } from '../channel/make-channel.ts'
import { spread } from '../channel/spread.ts'
import { withStash } from '../channel/stash.ts'
import { isBlocked } from '../contact/block.ts'
import { checkKnown } from '../contact/check-known.ts'
import { findContact, putContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { ASKS, askedFor } from '../join/ask-to-join.ts'
import { ARRIVALS } from '../log/in-turns.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { ChannelRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { noteSameNames } from '../transparency/same-names.ts'
import { findAnswered } from './find-answered.ts'
import { isSeated } from './seat-at-relay.ts'

/**
 * Somebody took up an invitation, or added this account by a key package that was left there (C-02): checks who
 * (certificate, manifest, leaf) before any contact is shown, and joins their channel. The key package is used up with it.
 * @returns the new channel, or undefined when this introduction was applied before
 * @throws CryptoError, WireError, StateError, RelayError 'seat/refused' when it is not to be trusted: the mail is dropped
 */
export async function receiveIntroduction(
  deps: Deps,
  turn: EngineHands['turn'],
  envelope: Uint8Array,
): Promise<string | undefined> {
  const device = await readDevice(deps.store)
  const hpke = await deps.handles.load(HPKE_HANDLE)
  if (device === undefined || hpke === undefined) throw new StoreError('store/keys-missing')
  const { body } = decodeEnvelope(envelope)
  const keyPair = { privateKey: hpke, publicKey: device.hpkeKey }
  const told = decodeIntroduction(unpad(await openHpke(keyPair, labels.welcome, new Uint8Array(), body)))
  const answered = await findAnswered(deps, told)
  if (answered === undefined) return undefined
  const introduction = await withStash(deps, told)

  const manifest = await checkManifest(introduction.manifest)
  const contact = (await findContact(deps.store, manifest.account))?.record
  if (isBlocked(contact)) throw new StateError('introduction/blocked') // M-11
  if (contact !== undefined) await checkKnown(deps, contact, introduction.manifest) // K-05
  const group = await joinGroup({
    welcome: introduction.welcome,
    tree: introduction.tree,
    keyPackage: answered.keyPackage,
    secret: answered.secret,
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
  const isThere = await isSeated(deps, introduction)

  const { account, sequence } = manifest
  const person = { account, name: introduction.name, manifest: introduction.manifest, sequence }
  const self = await readAccount(deps.store)
  const isOwnAccount = self !== undefined && equalBytes(self.account, account)
  // The account's log may be telling of the same channel and the same person.
  const id = await turn(ARRIVALS, async () => {
    const known = (await deps.store.list('channels')).find(({ record }) => isAt(record, introduction.address))
    const id = known === undefined ? newChannelId(deps) : String(known.key)
    const join = async (): Promise<void> => {
      const asked = introduction.kind === 'group' && isThere ? await askedFor(deps, introduction.address) : undefined
      const isUnasked = answered.by === 'package' && contact === undefined && asked === undefined && !isOwnAccount
      const before = await deps.store.get('channels', id)
      const draft = new Draft(deps.store)
      // Who adds this account unasked, and is no contact, asks (M-11): they are one once that is accepted.
      const isFree = before === undefined || isOut(before) || (await isUnproven(deps, id, introduction))
      const isRequest = isUnasked && (isFree || before?.request !== undefined)
      const isNewPlace = isFree || (before?.state === 'returning' && answered.by === 'package')
      // One that is no more already (INT16) takes nothing from what this device knows of the channel.
      if (isNewPlace && (isThere || before === undefined)) {
        await dropGroup(deps.store, draft, id)
        draft.delete('enters', id)
        const request = isRequest ? { request: person } : {}
        await putChannel(deps, draft, { id, introduction, label: answered.label, group, before, request })
        const isNew = self !== undefined && !isRequest && !isKnownThere(introduction, account, self.account)
        if (isNew) await queueBodies(deps, draft, id, [{ kind: 'name', name: self.name }])
      }
      // Any other channel that the account's log told of: this device comes in by itself, in place of the leaf that it has now.
      if (!isUnasked && !isOwnAccount) await putContact(deps, draft, person)
      answered.settle(draft, id, person)
      if (asked !== undefined) draft.put('asks', asked.key, { ...asked.record, channelId: id })
      await draft.commit()
    }
    await turn(id, () => turn(ASKS, join))
    return id
  })
  await noteSameNames(deps)
  if (!answered.isKept) await dropHandles(deps.handles, handlesOfSecret(answered.secret), handlesOf(group))
  return id
}

/** Whoever comes in with the same commit is told names by who adds; those who were there before know nobody new (INT15). */
function isKnownThere({ kind, accounts }: Introduction, adder: AccountId, own: AccountId): boolean {
  const before = accounts.filter(({ since, account }) => since !== undefined && !equalBytes(account, adder))
  return kind !== 'group' || before.every(({ account }) => equalBytes(account, own))
}

/** The relay has not taken this device's own token for the place that it has: a seat that is there goes before it. */
async function isUnproven({ store }: Deps, id: string, { seat }: Introduction): Promise<boolean> {
  const sync = await store.get('syncs', id)
  return sync?.retoken !== undefined && !equalBytes(sync.seat, seat)
}

function isAt(record: ChannelRecord, address: Address): boolean {
  return record.address !== undefined && equalBytes(record.address, address)
}

type NewPlace = {
  readonly id: string
  readonly introduction: Introduction
  readonly label: WakeLabel
  readonly group: Group
  readonly before: ChannelRecord | undefined
  readonly request: Pick<ChannelRecord, 'request'>
}

async function putChannel(
  deps: Deps,
  draft: Draft,
  { id, introduction, label, group, before, request }: NewPlace,
): Promise<void> {
  const { address, seat, token, kind, name, commits, seats, accounts, entry, names = [] } = introduction
  // Where another device of the account was first, its token is the log's.
  const ours = before?.state === 'returning' && isSamePlace(before.entry, entry) ? before.entry : undefined
  saveGroup(draft, id, group, undefined)
  draft.put('syncs', id, {
    address,
    seat,
    token,
    label,
    retoken: deps.dice(TOKEN_BYTES) as Token,
    ...(entry.token === undefined || ours !== undefined ? {} : { reentry: deps.dice(TOKEN_BYTES) as Token }),
    cursor: 0,
    head: firstHead(address),
    commits,
    lastCommit: 0,
    acked: 0,
    keys: [{ commits, key: await outerKeyOf(group) }],
    owed: [],
    wanted: [{ want: 'heal', notBeforeMs: deps.clock.now() + spread(deps, healWithinMs(seats.length)) }],
    seats,
    accounts,
  })
  const {
    left: _,
    leaving: __,
    pausedBy: ___,
    shut: _____,
    entry: ____,
    spaceSeen: ______,
    request: _______,
    ...kept
  } = before ?? {
    lastText: '',
    lastAtMs: deps.clock.now(),
    lastState: 'none' as const,
    theirs: 0,
  }
  const channel: ChannelRecord = {
    ...kept,
    title: kind === 'group' ? introduction.title : name,
    kind,
    address,
    ...entryOf(introduction, ours),
    state: 'open',
    names,
    ...request,
  }
  draft.put('channels', id, followGroup(channel, group))
}

/** An account that was out and is added again has another one: by the old one nobody comes in. */
function isSamePlace(known: ChannelRecord['entry'], { id }: Introduction['entry']): boolean {
  return known !== undefined && equalBytes(known.id, id)
}

function entryOf({ entry: { id, token } }: Introduction, ours: ChannelRecord['entry']): Pick<ChannelRecord, 'entry'> {
  if (ours !== undefined) return { entry: ours }
  return token === undefined ? {} : { entry: { id, token } }
}
