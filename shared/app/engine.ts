import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, InputError, RelayError, StateError, StoreError, UsageError, WireError } from '#core/errors.ts'
import { pastUntilMs } from '#core/mls/index.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { sweepHandles } from './account/mls-handles.ts'
import { readAccount, readRealm } from './account/read-account.ts'
import { settleVault } from './account/settle-vault.ts'
import { ChannelLabels } from './channel/channel-labels.ts'
import { comeBack } from './channel/come-back.ts'
import { drive } from './channel/drive.ts'
import type { Loaded } from './channel/loaded.ts'
import { dropOldKeys } from './channel/old-keys.ts'
import { isMuted } from './channel/quiet.ts'
import { loadOrReturn } from './channel/return.ts'
import { unreadTotal } from './channel/unread.ts'
import { lookUpContacts } from './contact/look-up-contacts.ts'
import type { Deps } from './deps.ts'
import { LinkDriver } from './device/link-driver.ts'
import { resumeRevocations } from './device/resume-revocations.ts'
import { addLater } from './group/add-later.ts'
import { fetchMail } from './invitation/fetch-mail.ts'
import { publishInvitations } from './invitation/publish-invitations.ts'
import { resumeClaims } from './invitation/resume-claims.ts'
import { goOnWithJoins } from './join/go-on.ts'
import { followRead } from './log/follow-read.ts'
import { LogRunner, type LogWhat } from './log/log-runner.ts'
import { ensureNotes, NOTES, queueNotes } from './log/notes.ts'
import { receiptDelayMs } from './message/owe-receipts.ts'
import { queueIntents } from './message/queue-intents.ts'
import { vanishLines } from './message/vanish.ts'
import { publishPackages } from './packages/publish-packages.ts'
import type { AccountRecord } from './ports/records.ts'
import type { Push, RelayState, RelayTarget } from './ports/relay.ts'
import { greet, isStillListed, sayHello } from './realm/greet.ts'
import { joinRealm } from './realm/join-realm.ts'
import { JOINS } from './requests/join.ts'
import { type EngineHands, handlers, type RequestArgs, type RequestName, type RequestReply } from './requests.ts'
import { ShareRunner } from './share/share-runner.ts'
import { SpaceRunner } from './space/space-runner.ts'
import { Timers } from './timers.ts'
import { lookAtDirectory } from './transparency/look-at-directory.ts'
import { hasViews } from './transparency/note-view.ts'
import { Turns } from './turns.ts'

const ACK_AFTER_MS = 2_000
const ONLINE_WITHIN_MS = 15_000
/** What rides in wakes and is not applied yet; more of it is left to a fetch. */
const MAX_CARRIED = 256
const REALM = 'realm'
const LOG = 'log'
const DEVICES = 'devices'
const SPACES = 'spaces'
const SHARES = 'shares'
const LATER = 'later'
/** What messages said of the directory is compared for several at once. */
const VIEWS_AFTER_MS = 500
const NOT_LOGGED_AFTER_MS = 15_000
const LOOK_EVERY_MS = 6 * 60 * 60 * 1000
/** A device that hears this was revoked, or the keys were rotated by another one. */
const SHUT_OUT: ReadonlySet<string> = new Set(['log/refused', 'log/generation', 'entry/refused', 'mailbox/closed'])

/**
 * The one writer of an origin (docs/architecture.md): applies what comes, sends what faces wrote, and keeps nothing that
 * it can't read from the store again. `start` makes this engine the writer; whoever was it before is fenced off.
 */
export class Engine implements EngineHands {
  readonly #deps: Deps
  readonly #turns = new Turns()
  readonly #timers: Timers
  readonly #log: LogRunner
  readonly #spaces: SpaceRunner
  readonly #shares: ShareRunner
  readonly #loaded = new Map<string, Loaded>()
  readonly #labels = new ChannelLabels()
  readonly #carried = new Map<string, Ordered[]>()
  readonly #unfetched = new Set<string>()
  readonly #receiptsDue = new Set<string>()
  readonly #compared = new Map<string, number>() // with manifests, when the own one had this number
  readonly #whenGreeted = new Set<() => void>()
  readonly linking: LinkDriver
  #state: RelayState = { state: 'idle' }
  #started = false // the relay was told where to connect
  #guest: RelayTarget | undefined // connected without an account: to link this device, or to look one up
  #ready = false // greeted on this connection
  #stopped = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timers = new Timers(deps.clock)
    this.linking = new LinkDriver(deps, this)
    this.#log = new LogRunner(deps, {
      timers: this.#timers,
      turn: (name, task) => this.turn(name, task),
      lookAtAccount: () => this.lookAtAccount(),
      kick: (channelId) => this.kick(channelId),
      isReady: () => this.#ready && this.#guest === undefined,
      inLogTurn: (name, task, again) => void this.#turns.run(LOG, () => this.#guarded(name, task, again)),
      applied: (channelIds) => this.#logApplied(channelIds),
    })
    this.#spaces = new SpaceRunner(deps, {
      timers: this.#timers,
      turn: (name, task) => this.turn(name, task),
      kick: (channelId) => this.kick(channelId),
      isReady: () => this.#ready && this.#guest === undefined,
      isCurrent: (id) => this.#ready && !this.#unfetched.has(id) && (this.#carried.get(id) ?? []).length === 0,
      inSpacesTurn: (name, task, again) => void this.#turns.run(SPACES, () => this.#guarded(name, task, again)),
    })
    this.#shares = new ShareRunner(deps, {
      turn: (name, task) => this.turn(name, task),
      kick: (channelId) => this.kick(channelId),
      logNoted: (what) => this.logNoted(what),
      isReady: () => this.#ready && this.#guest === undefined,
      inShareTurn: (task, again) => void this.#turns.run(SHARES, () => this.#guarded('shares', task, again)),
    })
  }

  get state(): RelayState {
    return this.#state
  }

  async start(): Promise<void> {
    if ((await this.#deps.store.condition()) !== 'usable') return
    await this.#deps.store.takeOver()
    await sweepHandles(this.#deps)
    await this.accountMade()
  }

  stop(): void {
    this.#stopped = true
    this.#timers.clear()
    this.linking.stop()
    this.#deps.relay.stop()
  }

  request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
    return handlers[name](this.#deps, this, args)
  }

  /** Every task that is under way or queued is done; what waits for time or for the network is not waited for. */
  idle(): Promise<void> {
    return this.#turns.idle()
  }

  turn<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#turns.run(name, async () => {
      this.#loaded.delete(name)
      return task()
    })
  }

  async accountMade(): Promise<void> {
    if ((await readAccount(this.#deps.store)) === undefined) return
    this.leaveAsGuest()
    if (this.#started) this.#disconnect() // greeted anew, as what it is from here on
    await this.turn(NOTES, () => ensureNotes(this.#deps))
    this.#deps.changes.announce({ what: 'channels' })
    await this.#readLabels()
    for (const { key } of await this.#deps.store.list('channels')) this.kick(String(key)) // what is over goes now (C-08, M-04)
    this.wake()
  }

  wake(): void {
    const again = (): void => this.wake()
    const look = async (): Promise<void> => {
      const settings = await this.#deps.store.get('settings', 'settings')
      this.#deps.relay.cover(settings?.cover ?? 'light')
      // What faces wrote to a channel that is no more is let go.
      const intents = await this.#deps.store.list('intents')
      for (const channelId of new Set(intents.map(({ record }) => record.channelId))) this.kick(channelId)
      await this.tellUnread()
      this.#log.booksMayHaveChanged()
    }
    const connect = async (): Promise<void> => {
      if (this.#deps.joinsAtOnce || (await readRealm(this.#deps.store)) !== undefined) await this.#connect()
    }
    void this.#guarded('wake', look, again)
    void this.#guarded('connect', connect, again)
  }

  invitationMade(label: Uint8Array): void {
    this.#labels.add(label, '')
  }

  async online(origin?: string, noiseKey?: Uint8Array): Promise<void> {
    await this.#connect(origin, noiseKey)
    await this.#greeted()
  }

  async onlineAsGuest(origin = this.#deps.defaultOrigin, noiseKey?: Uint8Array): Promise<RelayTarget> {
    const account = await readAccount(this.#deps.store)
    if (account !== undefined && !account.revoked) throw new UsageError('guest/account')
    const target = { origin, noiseKey: noiseKey ?? (await this.#deps.relay.askRealmKey(origin)) }
    if (this.#guest?.origin !== origin || !equalBytes(this.#guest.noiseKey, target.noiseKey)) {
      this.leaveAsGuest()
      this.#guest = target
      this.#start(target)
    }
    await this.#greeted()
    return target
  }

  leaveAsGuest(): void {
    if (this.#guest === undefined) return
    this.#guest = undefined
    this.#disconnect()
  }

  #disconnect(): void {
    this.#deps.relay.stop()
    this.#started = false
    this.#ready = false
    this.#onState({ state: 'idle' })
  }

  /** Resolves once the realm was greeted on this connection. @throws RelayError 'relay/unreachable' */
  async #greeted(): Promise<void> {
    if (this.#ready) return
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#deps.clock.after(ONLINE_WITHIN_MS, () => {
        this.#whenGreeted.delete(done)
        reject(new RelayError('relay/unreachable', { retryable: true }))
      })
      const done = (): void => {
        cancel()
        resolve()
      }
      this.#whenGreeted.add(done)
    })
  }

  kick(channelId: string): void {
    if (this.#stopped) return
    const again = (): void => this.kick(channelId)
    void this.#turns.run(channelId, () => this.#guarded(`drive ${channelId}`, () => this.#drive(channelId), again))
  }

  async #connect(origin = this.#deps.defaultOrigin, noiseKey?: Uint8Array): Promise<void> {
    const account = await readAccount(this.#deps.store)
    if (account === undefined || account.revoked) return
    if (origin === '' && (await readRealm(this.#deps.store)) === undefined) return
    const realm = await this.#turns.run(REALM, () => joinRealm(this.#deps, origin, noiseKey))
    if (this.#stopped) return
    if (this.#started) return this.#deps.relay.nudge()
    this.#start({ origin: realm.origin, noiseKey: realm.noiseKey })
  }

  #start(target: RelayTarget): void {
    this.#started = true
    this.#deps.relay.start(target, {
      onState: (state) => this.#onState(state),
      onPush: (push) => this.#onPush(push),
    })
  }

  #onState(state: RelayState): void {
    this.#state = state
    this.#ready = false
    this.#deps.changes.announce({ what: 'connection', connection: state })
    if (state.state === 'online') this.#inRealmTurn('greet', () => this.#greet())
  }

  /**
   * After every connect: what was missed is fetched, what was not taken is sent again. Each on its own, so that what the
   * relay refuses of one holds up nothing else.
   */
  async #greet(): Promise<void> {
    if (!(await this.#isWelcome())) return
    this.#ready = true
    this.#spaces.connected()
    for (const done of this.#whenGreeted) done()
    this.#whenGreeted.clear()
    if (this.#guest !== undefined) return
    this.#inRealmTurn('vault', () => settleVault(this.#deps).then(() => undefined))
    this.#fetchMail()
    this.#inRealmTurn('invitations', () => publishInvitations(this.#deps))
    this.#inRealmTurn('packages', () => publishPackages(this.#deps))
    this.#inRealmTurn('claims', () => resumeClaims(this.#deps, this))
    this.logNoted({ pull: true, books: true })
    for (const { key } of await this.#deps.store.list('syncs')) this.#fetch(String(key))
    for (const { key, record } of await this.#deps.store.list('channels')) {
      if (record.state === 'returning' || record.pausedBy === 'removed') this.kick(String(key))
    }
    this.#lookAround()
    this.joinsNoted(true)
    this.revocationNoted()
    this.addLater()
  }

  /** A relay that speaks a later version is said to, and asked again at the next connect. */
  async #isWelcome(): Promise<boolean> {
    try {
      if (this.#guest !== undefined) await sayHello(this.#deps)
      else if ((await greet(this.#deps)) === undefined) {
        await this.#endIfRevoked()
        return false
      }
      return true
    } catch (error) {
      if (!(error instanceof RelayError && error.code === 'session/version')) throw error
      this.#state = { state: 'refused', why: 'older-client' }
      this.#deps.changes.announce({ what: 'connection', connection: this.#state })
      return false
    }
  }

  revocationNoted(): void {
    const resume = async (): Promise<void> => {
      if (this.#ready && this.#guest === undefined) await resumeRevocations(this.#deps, this)
    }
    const again = (): void => this.revocationNoted()
    void this.#turns.run(DEVICES, () => this.#guarded('revocations', resume, again))
  }

  addLater(): void {
    const add = async (): Promise<void> => {
      if (!this.#ready || this.#guest !== undefined) return
      const { againAtMs } = await addLater(this.#deps, this)
      if (againAtMs !== undefined) this.#timers.set(LATER, againAtMs - this.#deps.clock.now(), () => this.addLater())
    }
    const again = (): void => this.addLater()
    void this.#turns.run(LATER, () => this.#guarded('add later', add, again))
  }

  joinsNoted(look = false): void {
    const goOn = async (): Promise<void> => {
      if (!this.#ready || this.#guest !== undefined) return
      const { againAtMs, lookAtMs } = await goOnWithJoins(this.#deps, this, look)
      const nowMs = this.#deps.clock.now()
      if (againAtMs !== undefined) this.#timers.set(`joins ${againAtMs}`, againAtMs - nowMs, () => this.joinsNoted())
      if (lookAtMs !== undefined) this.#timers.set('look for asks', lookAtMs - nowMs, () => this.joinsNoted(true))
    }
    void this.#turns.run(JOINS, () => this.#guarded('joins', goOn, () => this.joinsNoted(look)))
  }

  lookAtAccount(): void {
    const look = async (): Promise<void> => {
      if (!this.#ready || this.#guest !== undefined) return
      if (await isStillListed(this.#deps)) await settleVault(this.#deps)
      else await this.#endIfRevoked()
    }
    this.#inRealmTurn('account', look)
  }

  /** K-07: nothing is left to go on with, here or at the realm. */
  async #endIfRevoked(): Promise<void> {
    const account = await readAccount(this.#deps.store)
    if (!account?.revoked) return
    this.#timers.clear()
    for (const held of [this.#loaded, this.#labels, this.#carried, this.#unfetched, this.#receiptsDue]) held.clear()
    this.#disconnect()
  }

  #fetchMail(): void {
    const joined = (channelId: string): Promise<void> => this.#joined(channelId)
    const woken = (label: Uint8Array): void => {
      for (const channelId of this.#labels.of(label)) this.#fetch(channelId)
    }
    const turn = <T>(name: string, task: () => Promise<T>): Promise<T> => this.turn(name, task)
    this.#inRealmTurn('mail', () => fetchMail(this.#deps, { joined, woken, turn }))
  }

  #fetch(channelId: string): void {
    if (channelId === LOG) this.logNoted({ pull: true })
    if (channelId === LOG || channelId === '') return // an invitation's label: its mail tells what came of it
    this.#carried.delete(channelId)
    this.#unfetched.add(channelId)
    this.kick(channelId)
  }

  #onPush(push: Push): void {
    if (push.name === 'mail') this.#fetchMail()
    else {
      const channels = this.#labels.of(push.value.label)
      // What rides along is of one of them.
      const carried = channels.length === 1 ? push.value.carried : []
      for (const channelId of channels) this.#woken(channelId, carried)
    }
  }

  #woken(channelId: string, more: readonly Ordered[]): void {
    const carried = [...(this.#carried.get(channelId) ?? []), ...more]
    if (channelId === '' || channelId === LOG || more.length === 0 || carried.length > MAX_CARRIED)
      this.#fetch(channelId)
    else {
      this.#carried.set(channelId, carried)
      this.kick(channelId)
    }
  }

  async #joined(channelId: string): Promise<void> {
    await this.#readLabels()
    this.#deps.changes.announce({ what: 'channels' })
    this.#deps.changes.announce({ what: 'invitations' })
    this.#deps.changes.announce({ what: 'people' })
    this.kick(channelId)
    this.joinsNoted()
    this.#inRealmTurn('packages', () => publishPackages(this.#deps)) // one was used, maybe the last resort
    this.#timers.set('views', VIEWS_AFTER_MS, () => this.#lookAtDirectory())
    this.#log.booksMayHaveChanged()
  }

  async #drive(channelId: string): Promise<void> {
    if (this.#stopped) return
    const account = await readAccount(this.#deps.store)
    if (channelId === NOTES && account !== undefined) return this.#driveNotes(account)
    if (account === undefined) return
    await this.#vanish(channelId)
    const before = this.#loaded.get(channelId) ?? (await loadOrReturn(this.#deps, channelId))
    if (before === undefined) return this.#comeBack(account, channelId)
    this.#labels.add(before.sync.label, channelId)
    this.#loaded.delete(channelId) // until it is whole again: after a failure it is read from the store
    const queued = await queueIntents(this.#deps, account, await dropOldKeys(this.#deps, before))
    this.#announceLines(channelId)
    this.#driveAt(channelId, pastUntilMs(queued.group)) // with or without a connection (C-08)
    if (!this.#ready) {
      this.#loaded.set(channelId, queued)
      return
    }
    const carried = this.#carried.get(channelId) ?? []
    this.#carried.delete(channelId)
    const fetchFirst = this.#unfetched.delete(channelId)
    const receipts = this.#receiptsDue.delete(channelId)
    try {
      const { sequence } = account
      const manifests = this.#compared.get(channelId) !== sequence
      const reasons = { carried, fetchFirst, receipts, manifests }
      const { loaded, arrived, acknowledge, again, againAtMs } = await drive(this.#deps, queued, reasons)
      if (manifests) this.#compared.set(channelId, sequence)
      const committed = loaded.sync.commits > queued.sync.commits // and may have brought manifests
      this.#spaces.driven(queued, loaded, committed)
      if (loaded.channel.named !== queued.channel.named)
        this.joinsNoted(true) // it was given the keys (C-09)
      else if (committed || loaded.channel.named?.state === 'registering') this.joinsNoted()
      if (committed || (loaded.sync.cursor > queued.sync.cursor && (await hasViews(this.#deps.store))))
        this.#timers.set('views', VIEWS_AFTER_MS, () => this.#lookAtDirectory())
      this.#announceLines(channelId)
      if (loaded.channel.state === 'returning') {
        this.lookAtAccount() // out of the channel: is it out of the account? (K-07)
        return this.kick(channelId)
      }
      if (loaded.channel.left === 'left') return this.logNoted({ books: true })
      this.#loaded.set(channelId, loaded)
      await this.#vanish(channelId)
      if (again) this.kick(channelId)
      // The account's other devices come in by what the log says of it (C-07).
      const { entry, state } = queued.channel
      if (loaded.channel.entry !== entry || loaded.channel.state !== state) this.logNoted({ books: true })
      if (arrived > 0) {
        await followRead(this.#deps.store, channelId)
        await this.#tell(loaded)
      }
      await this.#log.linesCame(arrived > 0)
      this.sharesNoted()
      if (acknowledge) this.#timers.set(`ack ${channelId}`, ACK_AFTER_MS, () => this.#acknowledge(channelId))
      if (loaded.sync.owed.length > 0)
        this.#timers.set(`receipts ${channelId}`, receiptDelayMs(this.#deps, loaded), () =>
          this.#sendReceipts(channelId),
        )
      this.#driveAt(channelId, againAtMs)
    } catch (error) {
      this.#unfetched.add(channelId)
      throw error
    }
  }

  #driveAt(channelId: string, atMs: number | undefined): void {
    if (atMs === undefined) return
    this.#timers.set(`due ${channelId} ${atMs}`, atMs - this.#deps.clock.now(), () => this.kick(channelId))
  }

  /** M-04: with or without a connection, and whatever the state of the channel. */
  async #vanish(channelId: string): Promise<void> {
    const { nextMs, gone } = await vanishLines(this.#deps, channelId)
    const now = this.#deps.clock.now()
    // A timer of the platform holds 24 days.
    if (nextMs !== undefined) this.#driveAt(channelId, Math.min(nextMs, now + LOOK_EVERY_MS))
    if (!gone) return
    this.#loaded.delete(channelId)
    this.#announceLines(channelId)
    await this.tellUnread()
  }

  async #driveNotes(account: AccountRecord): Promise<void> {
    await queueNotes(this.#deps, account)
    this.#announceLines(NOTES)
    await this.#log.linesCame(false)
  }

  sharesNoted(): void {
    if (!this.#stopped) this.#shares.noted()
  }

  spaceNoted(channelId: string): void {
    if (!this.#stopped) this.#spaces.hurry(channelId)
  }

  logNoted(what: LogWhat): void {
    if (!this.#stopped) this.#log.noted(what)
  }

  async #logApplied(channelIds: ReadonlySet<string>): Promise<void> {
    await this.#readLogLabel()
    this.sharesNoted() // what waited for the history
    if (channelIds.size === 0) return
    for (const channelId of channelIds) this.#announceLines(channelId)
    for (const what of ['devices', 'work'] as const) this.#deps.changes.announce({ what })
    await this.tellUnread()
  }

  async #readLogLabel(): Promise<void> {
    const log = await this.#deps.store.get('meta', 'log')
    if (log?.kind === 'log') this.#labels.add(log.label, LOG)
  }

  /** A channel that this device is not in, or not any more by its own state (C-07). What is written to it waits. */
  async #comeBack(account: AccountRecord, channelId: string): Promise<void> {
    const channel = await this.#deps.store.get('channels', channelId)
    if (channel?.state !== 'returning' && channel?.pausedBy !== 'removed') return
    const queued = await queueIntents(this.#deps, account, { id: channelId, channel })
    this.#announceLines(channelId)
    if (!this.#ready) return
    const name = `come back ${channelId}`
    const result = await comeBack(this.#deps, channelId, queued.channel)
    if (result === 'waiting') return this.#timers.retry(name, 0, () => this.kick(channelId))
    this.#timers.succeeded(name)
    await this.#readLabels()
    this.#announceLines(channelId)
    this.#compared.delete(channelId)
    this.#spaces.cameBack(channelId)
    if (result === 'in') this.#fetch(channelId)
  }

  #lookAround(): void {
    this.#inRealmTurn('contacts', () => this.#lookUpContacts())
    this.#lookAtDirectory()
    this.#timers.set('look around', LOOK_EVERY_MS, () => this.#lookAround())
  }

  /** K-13: beside everything else, which never waits for it. */
  #lookAtDirectory(): void {
    const look = async (): Promise<void> => {
      if (!this.#ready || this.#guest !== undefined) return
      const { isNews, isOwnNews, again } = await lookAtDirectory(this.#deps)
      if (isNews) await this.#compareAgain()
      if (isOwnNews) this.lookAtAccount()
      if (again) this.#timers.set('not logged', NOT_LOGGED_AFTER_MS, () => this.#lookAtDirectory())
    }
    this.#inRealmTurn('directory', look)
  }

  /** Contacts may have revoked devices since this device last looked (K-07). */
  async #lookUpContacts(): Promise<void> {
    if (!this.#ready || this.#guest !== undefined) return
    if (await lookUpContacts(this.#deps)) await this.#compareAgain()
  }

  async #compareAgain(): Promise<void> {
    this.#compared.clear()
    for (const { key } of await this.#deps.store.list('syncs')) this.kick(String(key))
  }

  #sendReceipts(channelId: string): void {
    this.#receiptsDue.add(channelId)
    this.kick(channelId)
  }

  /** Tells the relay what is on this disk and may be forgotten there (I-05); coalesced, a few seconds late. */
  #acknowledge(channelId: string): void {
    const acknowledge = async (): Promise<void> => {
      const loaded = this.#loaded.get(channelId)
      if (loaded === undefined || !this.#ready || loaded.sync.cursor <= loaded.sync.acked) return
      const { address, seat, token, cursor } = loaded.sync
      await this.#deps.relay.call('channel.ack', { address, seat, token, upTo: cursor })
      const sync = { ...loaded.sync, acked: cursor }
      await this.#deps.store.write([{ put: 'syncs', key: channelId, record: sync }])
      this.#loaded.set(channelId, { ...loaded, sync })
    }
    // Tried again in the channel's own turn too: elsewhere it would put an older state over what a message has changed.
    const again = (): void => this.#acknowledge(channelId)
    void this.#turns.run(channelId, () => this.#guarded(`ack ${channelId}`, acknowledge, again))
  }

  async #tell({ id, channel }: Loaded): Promise<void> {
    if (!isMuted(channel, this.#deps.clock.now())) this.#deps.notifier.arrived(id, channel.title)
    await this.tellUnread()
  }

  async tellUnread(): Promise<void> {
    this.#deps.notifier.unread(await unreadTotal(this.#deps.store, this.#deps.clock.now()))
  }

  #announceLines(channelId: string): void {
    this.#deps.changes.announce({ what: 'lines', channelId })
    this.#deps.changes.announce({ what: 'channels' })
  }

  async #readLabels(): Promise<void> {
    await this.#readLogLabel()
    for (const { record } of await this.#deps.store.list('invitations')) this.invitationMade(record.label)
    for (const { key, record } of await this.#deps.store.list('syncs')) {
      this.#labels.add(record.label, String(key))
    }
  }

  #inRealmTurn(name: string, task: () => Promise<void>): void {
    const again = (): void => this.#inRealmTurn(name, task)
    void this.#turns.run(REALM, () => this.#guarded(name, task, again))
  }

  /**
   * One scope for errors: what may pass is tried again later, a lost writer stops, and a fault of one channel stays its
   * own (STYLE.md section 5). A lost connection needs no retry: the next one begins by going on from here.
   */
  async #guarded(name: string, task: () => Promise<void>, again: () => void): Promise<void> {
    try {
      await task()
      this.#timers.succeeded(name)
    } catch (error) {
      if (this.#stopped) return
      if (error instanceof StoreError && error.code === 'store/fenced') return this.stop()
      if (error instanceof InputError && error.code === 'identity/none') return // forgotten in the meantime (K-07)
      if (!isOurs(error)) throw error
      if (SHUT_OUT.has(error.code)) this.lookAtAccount()
      if (error instanceof RelayError && error.code === 'relay/unreachable' && this.#started) return
      const waitMs = error instanceof RelayError ? Number(error.detail.waitMs ?? 0) : 0
      this.#timers.retry(name, waitMs, again)
    }
  }
}

type Ours = CryptoError | RelayError | StateError | StoreError | WireError

function isOurs(error: unknown): error is Ours {
  return [CryptoError, RelayError, StateError, StoreError, WireError].some((kind) => error instanceof kind)
}
