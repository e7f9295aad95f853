import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import type { Dice } from '#core/crypto/random.ts'
import { InputError } from '#core/errors.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import { MAX_TEXT_BYTES } from '#core/wire/limits.ts'
import type { PhraseAnswer } from '../account/back-up.ts'
import { ArchiveDesk } from '../archive/archive-desk.ts'
import { PASSKEY_SALT } from '../device/passkey-salt.ts'
import type {
  AccountView,
  AlarmView,
  AskedView,
  Change,
  ChannelDetails,
  ChannelHealth,
  ChannelView,
  Connection,
  DeviceView,
  DoorView,
  EarlierHistory,
  Face,
  FoundAccount,
  HistoryOffer,
  InvitationPreview,
  InvitationView,
  JoinRequestView,
  LinePage,
  Linking,
  LockChoice,
  LockView,
  Muted,
  PersonPage,
  PersonView,
  ProfileChange,
  RestoreKey,
  Role,
  Settings,
  Work,
} from '../face.ts'
import { keyHealth } from '../health/key-health.ts'
import { askForLock, askToUnlock } from '../lock/ask-lock.ts'
import { lockView } from '../lock/lock-view.ts'
import { numberIn } from '../log/blocks.ts'
import { restoreWork } from '../log/restore-work.ts'
import { DEFAULT_SETTINGS } from '../log/settings.ts'
import { WAITING_FROM } from '../message/lines.ts'
import type { ArchiveSeal } from '../ports/archive-seal.ts'
import type { Bridge } from '../ports/bridge.ts'
import type { Changes } from '../ports/changes.ts'
import type { Clock } from '../ports/clock.ts'
import type { PasskeyAnswer, Passkeys } from '../ports/passkey.ts'
import type { Store } from '../ports/store.ts'
import type { OpenKey } from '../requests/restore.ts'
import { shareWork } from '../share/share-work.ts'
import { accountView } from './account-view.ts'
import { channelDetails } from './channel-details.ts'
import { channelViews } from './channel-views.ts'
import { deviceViews, doorViews } from './device-views.ts'
import { earlierHistory, offersIn } from './history-acts.ts'
import { invitationViews } from './invitation-views.ts'
import { askedViews, joinRequests } from './join-views.ts'
import { linePage } from './line-page.ts'
import { alarmViews, personPage, personViews } from './person-views.ts'
import { spaceActs } from './space-acts.ts'

const CHANNEL_ID_BYTES = 9

export type FaceDeps = {
  readonly store: Store
  readonly bridge: Bridge
  readonly changes: Changes
  readonly clock: Clock
  readonly dice: Dice
  readonly askPersistence: Face['askPersistence']
  readonly isPersistent: () => Promise<boolean>
  readonly supported: () => boolean
  readonly kind: 'web' | 'extension'
  readonly passkeys: Passkeys
  readonly archiveSeal: ArchiveSeal
}

/** A face on the store of its origin: reads sealed rows itself, writes what it wants done as rows, asks for the rest. */
export class LocalFace implements Face {
  readonly #deps: FaceDeps
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #archives: ArchiveDesk
  readonly createSpace: Face['createSpace']
  readonly addToSpace: Face['addToSpace']
  readonly removeFromSpace: Face['removeFromSpace']
  #connection: Connection = { state: 'connecting' }
  #answered: PasskeyAnswer | undefined

  constructor(deps: FaceDeps) {
    this.#deps = deps
    const spaces = spaceActs(deps)
    this.createSpace = spaces.createSpace
    this.addToSpace = spaces.addToSpace
    this.removeFromSpace = spaces.removeFromSpace
    this.#archives = new ArchiveDesk(deps, () => this.#tell({ what: 'work' }))
    deps.changes.subscribe((change) => {
      if (change.what === 'connection') this.#connection = change.connection
      this.#tell(change)
    })
    // K-10: at once, whether or not there is an engine that says so.
    deps.store.onLock((state) => {
      this.#tell({ what: 'lock' })
      this.#tell({ what: 'account' })
      if (state === 'unlocked') void this.#wake()
    })
    void this.#wake()
  }

  account(): Promise<AccountView> {
    return accountView(this.#deps.store, this.#deps.supported(), this.#deps.isPersistent)
  }

  channels(): Promise<readonly ChannelView[]> {
    return channelViews(this.#deps.store, this.#deps.clock.now())
  }

  lines(channelId: string, page: { before?: number; limit: number }): Promise<LinePage> {
    return linePage(this.#deps.store, channelId, page)
  }

  invitations(): Promise<readonly InvitationView[]> {
    return invitationViews(this.#deps.store, this.#deps.clock.now())
  }

  connection(): Connection {
    return this.#connection
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async createIdentity(input: { name: string; deviceName: string }): Promise<void> {
    await this.#deps.bridge.request('createIdentity', { ...input, deviceKind: this.#deps.kind })
    void this.#deps.askPersistence() // U-07: there is something to lose from here on
  }

  revealPhrase(): Promise<readonly string[]> {
    return this.#deps.bridge.request('revealPhrase', null)
  }

  async confirmPhrase(answers: readonly PhraseAnswer[]): Promise<void> {
    await this.#deps.bridge.request('confirmPhrase', answers)
  }

  async createInvitation(into?: { channelId: string; ask: boolean }): Promise<InvitationView> {
    const args = into === undefined ? null : { into: into.channelId, ask: into.ask }
    const { id } = await this.#deps.bridge.request('createInvitation', args)
    const made = (await this.invitations()).find((invitation) => invitation.id === id)
    if (made === undefined) throw new InputError('invitation/unknown')
    return made
  }

  async revokeInvitation(id: string): Promise<void> {
    await this.#deps.bridge.request('revokeInvitation', { id })
  }

  acceptInvitation(link: string): Promise<{ channelId: string }> {
    return this.#deps.bridge.request('acceptInvitation', { link })
  }

  async sendText(channelId: string, text: string): Promise<void> {
    if (toUtf8(text).length > MAX_TEXT_BYTES) throw new InputError('text/too-long')
    if (text.trim() === '') throw new InputError('text/empty')
    const messageId = this.#deps.dice(MESSAGE_ID_BYTES) as MessageId
    await this.#deps.store.append({ intent: 'text', channelId, messageId, text, atMs: this.#deps.clock.now() })
    this.#written(channelId)
  }

  retry(channelId: string, messageId: string): Promise<void> {
    return this.#intend('retry', channelId, messageId)
  }

  discard(channelId: string, messageId: string): Promise<void> {
    return this.#intend('discard', channelId, messageId)
  }

  async markRead(channelId: string, upToOrder: number): Promise<void> {
    const [read, [newest], channel] = await Promise.all([
      this.#deps.store.get('reads', channelId),
      this.#deps.store.list('lines', { of: channelId, before: upToOrder + 1, newestFirst: true, limit: 1 }),
      this.#deps.store.get('channels', channelId),
    ])
    // An own line carries the count at the time it was written; one that waits stands after everything there is. Where
    // there are only lines of history, none is counted.
    const isOwn = newest?.record.mine === true && numberIn(newest.key) === upToOrder
    const theirs = isOwn || upToOrder >= WAITING_FROM ? (channel?.theirs ?? 0) : (newest?.record.theirs ?? 0)
    if ((read?.theirs ?? 0) >= theirs && (read?.order ?? -1) >= upToOrder) return
    const record = { order: Math.max(read?.order ?? -1, upToOrder), theirs: Math.max(read?.theirs ?? 0, theirs) }
    await this.#deps.store.writeFree('reads', channelId, record)
    this.#deps.changes.announce({ what: 'channels' })
    this.#tell({ what: 'channels' })
    void this.#wake()
  }

  async draft(channelId: string): Promise<string> {
    return (await this.#deps.store.get('drafts', channelId))?.text ?? ''
  }

  async saveDraft(channelId: string, text: string): Promise<void> {
    await this.#deps.store.writeFree('drafts', channelId, { text })
    this.#tell({ what: 'channels' })
  }

  async settings(): Promise<Settings> {
    if ((await this.#deps.store.condition()) !== 'usable') return DEFAULT_SETTINGS
    return { ...DEFAULT_SETTINGS, ...(await this.#deps.store.get('settings', 'settings')) }
  }

  async saveSettings(settings: Settings): Promise<void> {
    await this.#deps.store.writeFree('settings', 'settings', settings)
    this.#deps.changes.announce({ what: 'settings' })
    this.#tell({ what: 'settings' })
    void this.#wake()
  }

  linking(): Promise<Linking> {
    return this.#deps.bridge.request('linking', null)
  }

  async showLink(input: { deviceName: string; realm?: string }): Promise<void> {
    await this.#deps.bridge.request('showLink', { ...input, deviceKind: this.#deps.kind })
    void this.#deps.askPersistence() // U-07
  }

  async joinLink(code: string): Promise<void> {
    await this.#deps.bridge.request('joinLink', { code })
  }

  async confirmLink(): Promise<void> {
    await this.#deps.bridge.request('confirmLink', null)
  }

  async cancelLink(): Promise<void> {
    await this.#deps.bridge.request('cancelLink', null)
  }

  devices(): Promise<readonly DeviceView[]> {
    return deviceViews(this.#deps.store)
  }

  async revokeDevice(deviceId: string): Promise<void> {
    await this.#deps.bridge.request('revokeDevice', { deviceId })
  }

  doors(): Promise<readonly DoorView[]> {
    return doorViews(this.#deps.store)
  }

  addPassphraseDoor(passphrase: string): Promise<{ card: string }> {
    return this.#deps.bridge.request('addPassphraseDoor', { passphrase })
  }

  async addPasskeyDoor(): Promise<void> {
    const { prfSalt, ...user } = await this.#deps.bridge.request('passkeyHandle', null)
    const { credentialId, prf } = await this.#deps.passkeys.create({ ...user, prfSalt })
    await this.#deps.bridge.request('addPasskeyDoor', { credentialId, prfSalt, prf })
  }

  async removeDoor(doorId: string): Promise<void> {
    await this.#deps.bridge.request('removeDoor', { doorId })
  }

  async suggestPassphrase(): Promise<string> {
    const { makePassphrase } = await import('#core/keys/passphrase.ts') // with its list of words
    return makePassphrase(this.#deps.dice)
  }

  lock(): Promise<LockView> {
    return lockView(this.#deps.store)
  }

  setLock(choice: LockChoice): Promise<void> {
    return askForLock(this.#deps, choice)
  }

  async removeLock(): Promise<void> {
    await this.#deps.bridge.request('removeLock', null)
  }

  lockNow(): Promise<void> {
    return this.#deps.store.lockNow()
  }

  unlock(key: { passphrase: string } | 'passkey'): Promise<void> {
    return askToUnlock(this.#deps, key)
  }

  touch(): void {
    this.#deps.store.touch()
  }

  exportArchive(passphrase: string): Promise<ReadableStream<Uint8Array>> {
    return this.#archives.export(passphrase)
  }

  importArchive(file: Blob, passphrase: string): Promise<void> {
    return this.#archives.import(file, passphrase)
  }

  createGroup(input: Parameters<Face['createGroup']>[0]): ReturnType<Face['createGroup']> {
    return this.#deps.bridge.request('createGroup', { ...input, id: toBase64url(this.#deps.dice(CHANNEL_ID_BYTES)) })
  }

  channelDetails(channelId: string): Promise<ChannelDetails> {
    return channelDetails(this.#deps.store, channelId)
  }

  addMembers(channelId: string, ids: readonly string[]): ReturnType<Face['addMembers']> {
    return this.#deps.bridge.request('addMembers', { channelId, ids })
  }

  async removeMember(channelId: string, id: string): Promise<void> {
    await this.#deps.bridge.request('removeMember', { channelId, id })
  }

  async setRole(channelId: string, id: string, role: Role): Promise<void> {
    await this.#deps.bridge.request('setRole', { channelId, id, role })
  }

  async setProfile(channelId: string, change: ProfileChange): Promise<void> {
    await this.#deps.bridge.request('setProfile', { channelId, change })
  }

  async leaveChannel(channelId: string): Promise<void> {
    await this.#deps.bridge.request('leaveChannel', { channelId })
  }

  async healChannel(channelId: string): Promise<void> {
    await this.#deps.bridge.request('heal', { channelId })
  }

  keyHealth(): Promise<readonly ChannelHealth[]> {
    return keyHealth(this.#deps.store)
  }

  async repairChannel(channelId: string): Promise<void> {
    await this.#deps.bridge.request('repairChannel', { channelId })
  }

  async setMuted(channelId: string, muted: Muted | false): Promise<void> {
    await this.#deps.bridge.request('setMuted', { channelId, muted })
  }

  async setArchived(channelId: string, archived: boolean): Promise<void> {
    await this.#deps.bridge.request('setArchived', { channelId, archived })
  }

  async setBlocked(personId: string, blocked: boolean): Promise<void> {
    await this.#deps.bridge.request('setBlocked', { id: personId, blocked })
  }

  async acceptRequest(channelId: string): Promise<void> {
    await this.#deps.bridge.request('acceptRequest', { channelId })
  }

  async declineRequest(channelId: string): Promise<void> {
    await this.#deps.bridge.request('declineRequest', { channelId })
  }

  lookAtInvitation(link: string): Promise<InvitationPreview> {
    return this.#deps.bridge.request('lookAtInvitation', { link })
  }

  joinRequests(channelId: string): Promise<readonly JoinRequestView[]> {
    return joinRequests(this.#deps.store, channelId)
  }

  async approveJoin(id: string): Promise<void> {
    await this.#deps.bridge.request('approveJoin', { id })
  }

  async declineJoin(id: string): Promise<void> {
    await this.#deps.bridge.request('declineJoin', { id })
  }

  async lookForJoins(channelId: string): Promise<void> {
    await this.#deps.bridge.request('lookForJoins', { channelId })
  }

  findChannel(name: string): Promise<boolean> {
    return this.#deps.bridge.request('findChannel', { name })
  }

  async askToJoin(name: string, note: string): Promise<void> {
    await this.#deps.bridge.request('askToJoin', { name, note })
  }

  asked(): Promise<readonly AskedView[]> {
    return askedViews(this.#deps.store, this.#deps.clock.now())
  }

  async withdrawAsk(id: string): Promise<void> {
    await this.#deps.bridge.request('withdrawAsk', { id })
  }

  async dismissJoin(id: string): Promise<void> {
    await this.#deps.bridge.request('dismissJoin', { id })
  }

  earlierHistory(channelId: string, personId: string): Promise<EarlierHistory> {
    return earlierHistory(this.#deps.store, channelId, personId, this.#deps.clock.now())
  }

  async shareHistory(channelId: string, personId: string, fromMs: number): Promise<void> {
    await this.#deps.bridge.request('shareHistory', { channelId, personId, fromMs })
  }

  historyOffers(channelId: string): Promise<readonly HistoryOffer[]> {
    return offersIn(this.#deps.store, channelId)
  }

  async answerHistory(channelId: string, offerId: string, takes: boolean): Promise<void> {
    await this.#deps.bridge.request('answerHistory', { channelId, offerId, takes })
  }

  people(): Promise<readonly PersonView[]> {
    return personViews(this.#deps.store)
  }

  person(id: string): Promise<PersonPage> {
    return personPage(this.#deps.store, id)
  }

  async markVerified(id: string, verified: boolean): Promise<void> {
    await this.#deps.bridge.request('markVerified', { id, verified })
  }

  comparePersonCode(id: string, code: string): Promise<boolean> {
    return this.#deps.bridge.request('comparePersonCode', { id, code })
  }

  async lookedAt(id: string): Promise<void> {
    await this.#deps.bridge.request('lookedAt', { id })
  }

  alarms(): Promise<readonly AlarmView[]> {
    return alarmViews(this.#deps.store)
  }

  async lookUp(key: RestoreKey): Promise<FoundAccount> {
    this.#answered = undefined
    return this.#deps.bridge.request('lookUp', await this.#openKey(key))
  }

  async restore(key: RestoreKey, input: { deviceName: string }): Promise<void> {
    const open = await this.#openKey(key)
    await this.#deps.bridge.request('restore', { key: open, ...input, deviceKind: this.#deps.kind })
    this.#answered = undefined
    void this.#deps.askPersistence() // U-07
  }

  async work(): Promise<readonly Work[]> {
    if ((await this.#deps.store.condition()) !== 'usable') return this.#archives.works()
    const restoring = await restoreWork(this.#deps.store, this.#connection.state === 'online')
    const shares = await shareWork(this.#deps.store, this.#connection.state === 'online')
    return [...restoring, ...shares, ...this.#archives.works()]
  }

  async cancelWork(kind: Work['kind']): Promise<void> {
    if (kind === 'import' || kind === 'export') this.#archives.cancel(kind)
    else await this.#deps.bridge.request('cancelWork', { kind })
  }

  async resumeWork(kind: Work['kind']): Promise<void> {
    if (kind === 'restore') await this.#deps.bridge.request('resumeWork', { kind })
  }

  askPersistence(): Promise<'granted' | 'refused' | 'unsupported'> {
    return this.#deps.askPersistence()
  }

  /** A passkey is asked once for looking up and restoring. */
  async #openKey(key: RestoreKey): Promise<OpenKey> {
    if (key.by !== 'passkey') return key
    this.#answered ??= await this.#deps.passkeys.get({ prfSalt: PASSKEY_SALT })
    const { userHandle, prf } = this.#answered
    return { ...key, userHandle, prf }
  }

  async #intend(intent: 'retry' | 'discard', channelId: string, messageId: string): Promise<void> {
    await this.#deps.store.append({ intent, channelId, messageId: fromBase64url(messageId) as MessageId })
    this.#written(channelId)
  }

  /** It is durable and shown at once; the engine takes it from the store, now or when there is one. */
  #written(channelId: string): void {
    for (const change of [{ what: 'lines', channelId }, { what: 'channels' }] as const) {
      this.#deps.changes.announce(change)
      this.#tell(change)
    }
    void this.#wake()
  }

  async #wake(): Promise<void> {
    try {
      this.#connection = await this.#deps.bridge.request('wake', null)
      this.#tell({ what: 'connection', connection: this.#connection })
    } catch {
      // No engine answers now; whichever starts next reads everything from the store.
    }
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
