import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, RelayError } from '#core/errors.ts'
import { originOf } from '#core/identity/origin.ts'
import { MAX_DEVICE_NAME_UNITS } from '#core/link/ask.ts'
import { encodeLink, encodeTypedCode, linkAddressOf, readLinkCode } from '#core/link/code.ts'
import { joinLink } from '#core/link/holder.ts'
import { keyHashOf, offerLink } from '#core/link/newcomer.ts'
import { encodeCancelled, SLOTS } from '#core/link/slots.ts'
import { LINK_LIFETIME_MS } from '#core/wire/limits.ts'
import { readRealm } from '../account/read-account.ts'
import { accountOf } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import type { Linking } from '../face.ts'
import type { RelayTarget } from '../ports/relay.ts'
import type { EngineHands } from '../requests.ts'
import { authorizeDevice } from './authorize-device.ts'
import { awaitsOf, type Party, type PartyEvent, putOf, stepParty, viewOf } from './link-party.ts'
import { noteLinked } from './note-linked.ts'
import { makeNewKeys, requireLinkable, takeGrant } from './take-grant.ts'

export type ShowInput = {
  readonly deviceName: string
  readonly deviceKind: 'web' | 'extension'
  readonly realm?: string
}
type Hands = Pick<EngineHands, 'online' | 'onlineAsGuest' | 'leaveAsGuest' | 'accountMade' | 'turn'>

const TURN = 'linking'
const LOOK_EVERY_MS = 1_500
/** A new device looks every other second: where nothing is, nobody is there any more, long before it would expire. */
const NOBODY_AFTER_MS = 30_000

/**
 * Linking a device (K-06, docs/spec/link.md): leaves at the realm what each state has to say and looks for the other's
 * answer. One meeting at a time, in memory; an engine that ends takes it along, and the other side's expires.
 */
export class LinkDriver {
  readonly #deps: Deps
  readonly #hands: Hands
  #party: Party | undefined
  #ended: Linking = { state: 'none' }
  #nobodyAtMs = Number.POSITIVE_INFINITY
  #overAtMs = Number.POSITIVE_INFINITY
  #cancelTimer = (): void => {}

  constructor(deps: Deps, hands: Hands) {
    this.#deps = deps
    this.#hands = hands
  }

  get view(): Linking {
    return this.#party === undefined ? this.#ended : viewOf(this.#party)
  }

  /** On the new device. @throws InputError 'link/exists', 'link/realm' */
  async show({ deviceName, deviceKind, realm }: ShowInput): Promise<void> {
    const known = await requireLinkable(this.#deps)
    const { origin, noiseKey } = known === undefined ? await this.#asGuest(realm) : await this.#atOwnRealm()
    await this.#begin(async () => {
      const state = await offerLink(this.#deps.clock.now(), this.#deps.dice)
      const keyHash = keyHashOf(state)
      const link = encodeLink(keyHash, { origin, realmKey: noiseKey })
      const keys = await makeNewKeys(this.#deps, {
        name: deviceName.trim().slice(0, MAX_DEVICE_NAME_UNITS),
        kind: deviceKind,
      })
      const shown = { link, code: encodeTypedCode(keyHash) }
      return { side: 'new', state, shown, keys, address: linkAddressOf({ keyHash }), put: -1 }
    })
  }

  /** On the device that holds the root. @throws InputError 'link/no-root', 'link/foreign-realm', 'link/not-a-code' … */
  async join(text: string): Promise<void> {
    if ((await accountOf(this.#deps)).rootSeed === undefined) throw new InputError('link/no-root')
    const code = readLinkCode(text)
    const { noiseKey } = await this.#atOwnRealm()
    // Of another realm, or somebody sits between the new device and this one (T-01).
    if (code.realm !== undefined && !equalBytes(code.realm.realmKey, noiseKey))
      throw new InputError('link/foreign-realm')
    await this.#begin(async () => {
      const nowMs = this.#deps.clock.now()
      this.#nobodyAtMs = nowMs + NOBODY_AFTER_MS
      const state = joinLink(code, nowMs, this.#deps.dice)
      return { side: 'holder', state, address: linkAddressOf(code), put: -1 }
    })
  }

  async confirm(): Promise<void> {
    await this.#hands.turn(TURN, () => this.#step({ type: 'confirmed' }))
    this.#look()
  }

  /** Stops what is under way, or puts away how it ended. */
  async cancel(): Promise<void> {
    await this.#hands.turn(TURN, async () => {
      if (this.#party !== undefined) await this.#sayCancelled(this.#party)
      this.#end({ state: 'none' })
    })
  }

  stop(): void {
    this.#cancelTimer()
    this.#party = undefined
  }

  #asGuest(realm: string | undefined): Promise<RelayTarget> {
    const origin = realm === undefined ? this.#deps.defaultOrigin : originOf(realm.trim())
    if (origin === undefined || origin === '') throw new InputError('link/realm')
    return this.#hands.onlineAsGuest(origin)
  }

  async #atOwnRealm(): Promise<RelayTarget> {
    await this.#hands.online()
    const realm = await readRealm(this.#deps.store)
    if (realm === undefined) throw new InputError('link/realm')
    return realm
  }

  #begin(make: () => Promise<Party>): Promise<void> {
    return this.#hands.turn(TURN, async () => {
      if (this.#party !== undefined) await this.#sayCancelled(this.#party)
      this.#overAtMs = this.#deps.clock.now() + LINK_LIFETIME_MS
      this.#set(await make())
      this.#look()
    })
  }

  /** Now, and again until it is over. */
  #look(): void {
    this.#cancelTimer()
    void this.#hands.turn(TURN, async () => {
      await this.#goOn()
      this.#cancelTimer() // of a look that was asked for before this one
      if (this.#party !== undefined) this.#cancelTimer = this.#deps.clock.after(LOOK_EVERY_MS, () => this.#look())
    })
  }

  async #goOn(): Promise<void> {
    try {
      for (let before: Party | undefined; this.#party !== undefined && this.#party !== before; ) {
        before = this.#party
        await this.#step({ type: 'tick', nowMs: this.#deps.clock.now() })
        await this.#leave()
        await this.#hear(SLOTS.cancelled)
        await this.#hear(this.#party && awaitsOf(this.#party))
        await this.#conclude()
      }
    } catch (error) {
      const isOver = this.#deps.clock.now() >= this.#overAtMs // a grant that never left: the device is listed, and can be revoked
      if (error instanceof RelayError && error.retryable && !isOver) return // at the next look
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'link/refused'
      if (this.#party !== undefined) await this.#sayCancelled(this.#party)
      this.#end({ state: 'failed', why: code === 'link/taken' ? 'link/used' : code })
    }
  }

  async #leave(): Promise<void> {
    const party = this.#party
    const put = party && putOf(party)
    if (party === undefined || put === undefined) return
    await this.#deps.relay.call('link.put', { address: party.address, ...put })
    this.#set({ ...party, put: put.slot })
  }

  async #hear(slot: number | undefined): Promise<void> {
    const party = this.#party
    if (party === undefined || slot === undefined) return
    const { bytes } = await this.#deps.relay.call('link.get', { address: party.address, slot })
    if (bytes !== undefined) return this.#step({ type: 'received', slot, bytes })
    const isUnmet = party.side === 'holder' && (party.state.at === 'waiting' || party.state.at === 'committed')
    if (isUnmet && this.#deps.clock.now() >= this.#nobodyAtMs) this.#end({ state: 'failed', why: 'link/unknown' })
  }

  async #step(event: PartyEvent): Promise<void> {
    const before = this.#party
    if (before === undefined) return
    const after = await stepParty(before, event, this.#deps.dice)
    if (after.state === before.state) return
    this.#set(after)
    if (after.state.at !== 'closed') return
    if (after.state.why !== 'cancelled') await this.#sayCancelled(after)
    this.#end(viewOf(after))
  }

  /** What both persons' words lead to: the holder certifies and grants, the new device takes the grant. */
  async #conclude(): Promise<void> {
    const party = this.#party
    if (party === undefined) return
    if (party.side === 'new') {
      if (party.state.at !== 'granted') return
      const { checked } = party.state
      await this.#hands.turn('realm', () => takeGrant(this.#deps, party.keys, checked))
      this.#end({ state: 'done', peer: checked.grant.name })
      this.#deps.changes.announce({ what: 'account' })
      await this.#hands.accountMade()
    } else if (party.state.at === 'authorizing') {
      const { device } = party.state
      const grant = await this.#hands.turn('realm', () => authorizeDevice(this.#deps, device))
      await this.#step({ type: 'authorized', grant })
    } else if (party.state.at === 'granted' && putOf(party) === undefined) {
      const { device } = party.state
      this.#end({ state: 'done', peer: device.name })
      await this.#hands.turn('log', () => noteLinked(this.#deps, device))
      this.#deps.changes.announce({ what: 'devices' })
    }
  }

  /** So that the other side need not wait until it expires. */
  async #sayCancelled({ address }: Party): Promise<void> {
    try {
      await this.#deps.relay.call('link.put', { address, slot: SLOTS.cancelled, bytes: encodeCancelled() })
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
    }
  }

  #set(party: Party): void {
    this.#party = party
    this.#deps.changes.announce({ what: 'linking' })
  }

  #end(view: Linking): void {
    this.#cancelTimer()
    this.#party = undefined
    this.#ended = view
    if (view.state !== 'done') this.#hands.leaveAsGuest()
    this.#deps.changes.announce({ what: 'linking' })
  }
}
