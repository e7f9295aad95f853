import { RelayError } from '#core/errors.ts'
import { sweepHandles } from './account/mls-handles.ts'
import { readAccount, readRealm } from './account/read-account.ts'
import { settleVault } from './account/settle-vault.ts'
import { ChannelLabels } from './channel/channel-labels.ts'
import type { Driven } from './channel/drive.ts'
import type { Loaded } from './channel/loaded.ts'
import { isMuted } from './channel/quiet.ts'
import { unreadTotal } from './channel/unread.ts'
import { lookUpContacts } from './contact/look-up-contacts.ts'
import type { Deps } from './deps.ts'
import { forgetWhatIsLeft } from './device/forget-account.ts'
import { LinkDriver } from './device/link-driver.ts'
import { resumeRevocations } from './device/resume-revocations.ts'
import { ChannelRunner } from './engine/channel-runner.ts'
import { Connection } from './engine/connection.ts'
import { Guard } from './engine/guard.ts'
import { addLater } from './group/add-later.ts'
import { fetchMail } from './invitation/fetch-mail.ts'
import { publishInvitations } from './invitation/publish-invitations.ts'
import { resumeClaims } from './invitation/resume-claims.ts'
import { goOnWithJoins } from './join/go-on.ts'
import { followRead } from './log/follow-read.ts'
import { LogRunner, type LogWhat } from './log/log-runner.ts'
import { ensureNotes, NOTES } from './log/notes.ts'
import { readOwnLog } from './log/own-log.ts'
import { publishPackages } from './packages/publish-packages.ts'
import type { Push, RelayState, RelayTarget } from './ports/relay.ts'
import { greet, isStillListed, sayHello } from './realm/greet.ts'
import { JOINS } from './requests/join.ts'
import { type EngineHands, handlers, type RequestArgs, type RequestName, type RequestReply } from './requests.ts'
import { ShareRunner } from './share/share-runner.ts'
import { SpaceRunner } from './space/space-runner.ts'
import { Timers } from './timers.ts'
import { lookAtDirectory } from './transparency/look-at-directory.ts'
import { hasViews } from './transparency/note-view.ts'
import { Turns } from './turns.ts'

const REALM = 'realm'
const LOG = 'log'
const DEVICES = 'devices'
const SPACES = 'spaces'
const SPACE_PEOPLE = 'space people'
const SHARES = 'shares'
const LATER = 'later'
/** What messages said of the directory is compared for several at once. */
const VIEWS_AFTER_MS = 500
const NOT_LOGGED_AFTER_MS = 15_000
const LOOK_EVERY_MS = 6 * 60 * 60 * 1000

/**
 * The one writer of an origin (docs/architecture.md): applies what comes, sends what faces wrote, and keeps nothing that
 * it can't read from the store again. `start` makes this engine the writer; whoever was it before is fenced off.
 */
export class Engine implements EngineHands {
  readonly #deps: Deps
  readonly #turns = new Turns()
  readonly #timers: Timers
  readonly #guard: Guard
  readonly #connection: Connection
  readonly #channels: ChannelRunner
  readonly #log: LogRunner
  readonly #spaces: SpaceRunner
  readonly #shares: ShareRunner
  readonly #labels = new ChannelLabels()
  readonly linking: LinkDriver
  #stopped = false
  #mayWrite = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timers = new Timers(deps.clock)
    this.linking = new LinkDriver(deps, this)
    const timers = this.#timers
    const isStopped = (): boolean => this.#stopped
    const isReady = (): boolean => this.#connection.isReady
    const turn = <T>(name: string, task: () => Promise<T>): Promise<T> => this.turn(name, task)
    const kick = (channelId: string): void => this.kick(channelId)
    this.#guard = new Guard({
      timers,
      isStopped,
      isConnecting: () => this.#connection.isStarted,
      fenced: () => this.stop(),
      shutOut: () => this.lookAtAccount(),
      faulty: throwUncaught,
    })
    this.#connection = new Connection(deps, {
      isStopped,
      inRealmTurn: (task) => this.#turns.run(REALM, task),
      online: () => this.#in(REALM, 'greet', () => this.#greet()),
      pushed: (push) => this.#pushed(push),
    })
    this.#channels = new ChannelRunner(deps, {
      timers,
      labels: this.#labels,
      isStopped,
      isGreeted: () => this.#connection.isGreeted,
      inTurn: (channelId, name, task, again) => this.#in(channelId, name, task, again),
      tellUnread: () => this.tellUnread(),
      applied: (before, driven) => this.#applied(before, driven),
      settled: (before, driven) => this.#settled(before, driven),
      lost: () => this.lookAtAccount(),
      left: () => this.logNoted({ books: true }),
      cameBack: async (channelId) => {
        await this.#readLabels()
        this.#spaces.cameBack(channelId)
      },
      noted: () => this.#log.linesCame(false),
    })
    this.#log = new LogRunner(deps, {
      timers,
      turn,
      kick,
      lookAtAccount: () => this.lookAtAccount(),
      isReady,
      inLogTurn: (name, task, again) => this.#in(LOG, name, task, again),
      applied: (channelIds) => this.#logApplied(channelIds),
    })
    this.#spaces = new SpaceRunner(deps, {
      timers,
      turn,
      kick,
      isReady,
      isCurrent: (id) => this.#connection.isGreeted && this.#channels.isCurrent(id),
      inSpacesTurn: (name, task, again) => this.#in(SPACES, name, task, again),
      inPeopleTurn: (name, task, again) => this.#in(SPACE_PEOPLE, name, task, again),
    })
    this.#shares = new ShareRunner(deps, {
      timers,
      turn,
      kick,
      logNoted: (what) => this.logNoted(what),
      isReady,
      inShareTurn: (task, again) => this.#in(SHARES, 'shares', task, again),
    })
  }

  get state(): RelayState {
    return this.#connection.state
  }

  /** @returns whether it may write: else the store does not open now, and nothing may be begun (U-07) */
  async start(): Promise<boolean> {
    const condition = await this.#deps.store.condition()
    this.#mayWrite = condition === 'empty' // whoever makes an identity takes over first
    if (condition !== 'usable') return this.#mayWrite
    await this.#deps.store.takeOver()
    this.#mayWrite = true
    await forgetWhatIsLeft(this.#deps)
    await sweepHandles(this.#deps)
    await this.accountMade()
    return true
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
      this.#channels.forget(name)
      return task()
    })
  }

  async accountMade(): Promise<void> {
    if ((await readAccount(this.#deps.store)) === undefined) return
    this.leaveAsGuest()
    if (this.#connection.isStarted) this.#connection.disconnect() // greeted anew, as what it is from here on
    await this.turn(NOTES, () => ensureNotes(this.#deps))
    this.#deps.changes.announce({ what: 'channels' })
    await this.#readLabels()
    await this.#channels.kickAll('channels') // what is over goes now (C-08, M-04)
    this.wake()
  }

  wake(): void {
    if (!this.#mayWrite) return
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
      if (this.#deps.joinsAtOnce || (await readRealm(this.#deps.store)) !== undefined) await this.#connection.connect()
    }
    void this.#guard.run('wake', look, again)
    void this.#guard.run('connect', connect, again)
  }

  invitationMade(label: Uint8Array): void {
    this.#labels.add(label, '')
  }

  online(origin?: string, noiseKey?: Uint8Array): Promise<void> {
    return this.#connection.online(origin, noiseKey)
  }

  onlineAsGuest(origin?: string, noiseKey?: Uint8Array): Promise<RelayTarget> {
    return this.#connection.onlineAsGuest(origin, noiseKey)
  }

  leaveAsGuest(): void {
    this.#connection.leaveAsGuest()
  }

  kick(channelId: string): void {
    this.#channels.kick(channelId)
  }

  /**
   * After every connect: what was missed is fetched, what was not taken is sent again. Each on its own, so that what the
   * relay refuses of one holds up nothing else.
   */
  async #greet(): Promise<void> {
    if (!(await this.#isWelcome())) return
    this.#connection.greeted()
    this.#spaces.connected()
    if (this.#connection.isGuest) return
    this.#in(REALM, 'vault', () => this.#settleVault())
    this.#fetchMail()
    this.#in(REALM, 'invitations', () => publishInvitations(this.#deps))
    this.#in(REALM, 'packages', () => publishPackages(this.#deps))
    this.#in(REALM, 'claims', () => resumeClaims(this.#deps, this))
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
      if (this.#connection.isGuest) await sayHello(this.#deps)
      else if ((await greet(this.#deps)) === undefined) {
        await this.#endIfRevoked()
        return false
      }
      return true
    } catch (error) {
      if (!(error instanceof RelayError && error.code === 'session/version')) throw error
      this.#connection.refused()
      return false
    }
  }

  revocationNoted(): void {
    this.#whenReady(DEVICES, 'revocations', () => resumeRevocations(this.#deps, this))
  }

  addLater(): void {
    this.#whenReady(LATER, 'add later', async () => {
      const { againAtMs } = await addLater(this.#deps, this)
      if (againAtMs !== undefined) this.#timers.set(LATER, againAtMs - this.#deps.clock.now(), () => this.addLater())
    })
  }

  joinsNoted(look = false): void {
    // Each is tried again by itself: going on does not look.
    this.#whenReady(JOINS, look ? 'joins and asks' : 'joins', async () => {
      const { againAtMs, lookAtMs } = await goOnWithJoins(this.#deps, this, look)
      const nowMs = this.#deps.clock.now()
      if (againAtMs !== undefined) this.#timers.set(`joins ${againAtMs}`, againAtMs - nowMs, () => this.joinsNoted())
      if (lookAtMs !== undefined) this.#timers.set('look for asks', lookAtMs - nowMs, () => this.joinsNoted(true))
    })
  }

  lookAtAccount(): void {
    this.#whenReady(REALM, 'account', async () => {
      if (await isStillListed(this.#deps)) await this.#settleVault()
      else await this.#endIfRevoked()
    })
  }

  /** The log opens with the first vault: what was written before waits for nothing else. */
  async #settleVault(): Promise<void> {
    const before = await readOwnLog(this.#deps)
    await settleVault(this.#deps)
    if (before?.isOpen === false) this.logNoted({ pull: true, books: true })
  }

  /** K-07: nothing is left to go on with, here or at the realm. */
  async #endIfRevoked(): Promise<void> {
    const account = await readAccount(this.#deps.store)
    if (!account?.revoked) return
    this.#timers.clear()
    this.#channels.clear()
    this.#labels.clear()
    this.#connection.disconnect()
    // What had begun before goes on to its end, as does applying rows of the log that were fetched. Waited for in no turn.
    void this.#turns.idle().then(() => this.#in(REALM, 'forget', () => forgetWhatIsLeft(this.#deps)))
  }

  #fetchMail(): void {
    const joined = (channelId: string): Promise<void> => this.#joined(channelId)
    const woken = (label: Uint8Array): void => {
      for (const channelId of this.#labels.of(label)) this.#fetch(channelId)
    }
    const turn = <T>(name: string, task: () => Promise<T>): Promise<T> => this.turn(name, task)
    this.#in(REALM, 'mail', () => fetchMail(this.#deps, { joined, woken, turn }))
  }

  #fetch(channelId: string): void {
    if (channelId === LOG) this.logNoted({ pull: true })
    else this.#channels.fetch(channelId)
  }

  #pushed(push: Push): void {
    if (push.name === 'mail') {
      this.#fetchMail()
      return
    }
    const channels = this.#labels.of(push.value.label)
    // What rides along is of one of them.
    const carried = channels.length === 1 ? push.value.carried : []
    for (const channelId of channels) {
      if (channelId === LOG) this.#fetch(LOG)
      else this.#channels.woken(channelId, carried)
    }
  }

  async #joined(channelId: string): Promise<void> {
    await this.#readLabels()
    for (const what of ['channels', 'invitations', 'people'] as const) this.#deps.changes.announce({ what })
    this.kick(channelId)
    this.joinsNoted()
    this.#in(REALM, 'packages', () => publishPackages(this.#deps)) // one was used, maybe the last resort
    this.#viewsNoted()
    this.#log.booksMayHaveChanged()
  }

  async #applied(before: Loaded, { loaded }: Driven): Promise<void> {
    const committed = loaded.sync.commits > before.sync.commits // and may have brought manifests
    this.#spaces.driven(before, loaded, committed)
    if (loaded.channel.named !== before.channel.named)
      this.joinsNoted(true) // it was given the keys (C-09)
    else if (committed || loaded.channel.named?.state === 'registering') this.joinsNoted()
    const isNews = loaded.sync.cursor > before.sync.cursor
    if (committed || (isNews && (await hasViews(this.#deps.store)))) this.#viewsNoted()
  }

  async #settled({ channel: before }: Loaded, { loaded: { id, channel }, arrived }: Driven): Promise<void> {
    // The account's other devices come in by what the log says of it (C-07).
    if (channel.entry !== before.entry || channel.state !== before.state) this.logNoted({ books: true })
    if (arrived > 0) {
      await followRead(this.#deps.store, id)
      if (!isMuted(channel, this.#deps.clock.now())) this.#deps.notifier.arrived(id, channel.title)
      await this.tellUnread()
    }
    await this.#log.linesCame(arrived > 0)
    this.sharesNoted()
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
    for (const channelId of channelIds) this.#channels.announceLines(channelId)
    for (const what of ['devices', 'work'] as const) this.#deps.changes.announce({ what })
    await this.tellUnread()
  }

  #lookAround(): void {
    // Contacts may have revoked devices since this device last looked (K-07).
    this.#whenReady(REALM, 'contacts', async () => {
      if (await lookUpContacts(this.#deps)) await this.#channels.compareAgain()
    })
    this.#lookAtDirectory()
    this.#timers.set('look around', LOOK_EVERY_MS, () => this.#lookAround())
  }

  #viewsNoted(): void {
    this.#timers.set('views', VIEWS_AFTER_MS, () => this.#lookAtDirectory())
  }

  /** K-13: beside everything else, which never waits for it. */
  #lookAtDirectory(): void {
    this.#whenReady(REALM, 'directory', async () => {
      const { isNews, isOwnNews, again } = await lookAtDirectory(this.#deps)
      if (isNews) await this.#channels.compareAgain()
      if (isOwnNews) this.lookAtAccount()
      if (again) this.#timers.set('not logged', NOT_LOGGED_AFTER_MS, () => this.#lookAtDirectory())
    })
  }

  async tellUnread(): Promise<void> {
    this.#deps.notifier.unread(await unreadTotal(this.#deps.store, this.#deps.clock.now()))
  }

  async #readLogLabel(): Promise<void> {
    const log = await this.#deps.store.get('meta', 'log')
    if (log?.kind === 'log') this.#labels.add(log.label, LOG)
  }

  async #readLabels(): Promise<void> {
    await this.#readLogLabel()
    for (const { record } of await this.#deps.store.list('invitations')) this.invitationMade(record.label)
    for (const { key, record } of await this.#deps.store.list('syncs')) this.#labels.add(record.label, String(key))
  }

  /** Nothing without a connection as a device of the account: the next one begins with it. */
  #whenReady(turn: string, name: string, task: () => Promise<void>): void {
    this.#in(turn, name, async () => {
      if (this.#connection.isReady) await task()
    })
  }

  #in(turn: string, name: string, task: () => Promise<void>, again = () => this.#in(turn, name, task)): void {
    void this.#turns.run(turn, () => this.#guard.run(name, task, again))
  }
}

/** Where the browser's console shows it, and where it fails every test. */
function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
