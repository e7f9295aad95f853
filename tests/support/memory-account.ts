import type {
  AccountView,
  AlarmView,
  Change,
  DeviceView,
  DoorView,
  FoundAccount,
  Linking,
  LockChoice,
  LockView,
  PersonPage,
  PersonView,
  RestoreKey,
  Work,
} from '#app/face.ts'
import { InputError } from '#core/errors.ts'

export const FINGERPRINT = '482917305561820394857710294857'
const DIGITS = '481720395564'
/** What that person's screen shows, for the one who compares. */
export const SAFETY_CODE = `AQ${'s7Kq'.repeat(21)}s`
const MINUTE_MS = 60_000

/** The account's half of a face in memory: restoring, linking, devices, doors, lock and archive, moved on by hand. */
export class MemoryAccount {
  accountView: AccountView = { state: 'none' }
  found: FoundAccount = { name: 'Noa', fingerprint: FINGERPRINT, devices: 2 }
  workNow: readonly Work[] = []
  linkingNow: Linking = { state: 'none' }
  deviceViews: readonly DeviceView[] = []
  personViews: readonly PersonView[] = []
  alarmViews: readonly AlarmView[] = []
  doorViews: readonly DoorView[] = [{ id: 'phrase', kind: 'phrase', name: '' }]
  lockNowView: LockView = { state: 'off' }
  lockPassphrase = ''
  touches = 0
  nowMs = 0
  readonly calls: string[] = []
  /** Thrown by the next act of that name, then forgotten. */
  readonly nextErrors = new Map<string, Error>()
  readonly #listeners = new Set<(change: Change) => void>()
  #behindLock: AccountView = { state: 'none' }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  async account(): Promise<AccountView> {
    return this.accountView
  }

  async lookUp(key: RestoreKey): Promise<FoundAccount> {
    this.act(`lookUp ${key.by}`)
    return this.found
  }

  async restore(key: RestoreKey, { deviceName }: { readonly deviceName: string }): Promise<void> {
    this.act(`restore ${key.by}`)
    this.arriveHere(deviceName, key.by === 'phrase')
    this.moveWork([{ kind: 'restore', done: 0, total: 0, state: 'running' }])
  }

  async work(): Promise<readonly Work[]> {
    return this.workNow
  }

  moveWork(work: readonly Work[]): void {
    this.workNow = work
    this.tell({ what: 'work' })
  }

  async cancelWork(kind: Work['kind']): Promise<void> {
    this.act(`cancelWork ${kind}`)
    this.moveWork(
      this.workNow.flatMap((work) => {
        if (work.kind !== kind) return [work]
        return kind === 'restore' ? [{ ...work, state: 'stopped' as const }] : []
      }),
    )
  }

  async resumeWork(kind: Work['kind']): Promise<void> {
    this.act(`resumeWork ${kind}`)
    this.moveWork(this.workNow.map((work) => (work.kind === kind ? { ...work, state: 'running' as const } : work)))
  }

  async linking(): Promise<Linking> {
    return this.linkingNow
  }

  moveLinking(linking: Linking): void {
    this.linkingNow = linking
    this.tell({ what: 'linking' })
  }

  async showLink(_input: { readonly deviceName: string; readonly realm?: string }): Promise<void> {
    this.act('showLink')
    this.moveLinking({
      state: 'showing',
      link: `https://stave.example/link#${'Qm7xT2vK9bWc'.repeat(7)}`,
      code: 'K7QX-2M9B-T4SW-C8ZP',
      expiresAtMs: this.nowMs + 10 * MINUTE_MS,
    })
  }

  async joinLink(code: string): Promise<void> {
    this.act(`joinLink ${code}`)
    if (code.length < 16) throw new InputError('link/code')
    this.compare('holder', 'Firefox on Android')
  }

  compare(side: 'new' | 'holder', peer: string): void {
    this.moveLinking({ state: 'comparing', side, digits: DIGITS, peer, confirmed: false })
  }

  async confirmLink(): Promise<void> {
    this.act('confirmLink')
    if (this.linkingNow.state === 'comparing') this.moveLinking({ ...this.linkingNow, confirmed: true })
  }

  async cancelLink(): Promise<void> {
    this.act('cancelLink')
    this.moveLinking({ state: 'none' })
  }

  async devices(): Promise<readonly DeviceView[]> {
    return this.deviceViews
  }

  async revokeDevice(deviceId: string): Promise<void> {
    this.act(`revokeDevice ${deviceId}`)
    this.deviceViews = this.deviceViews.map((device) =>
      device.id === deviceId ? { ...device, revoking: { step: 'manifest', left: 0 } } : device,
    )
    this.tell({ what: 'devices' })
  }

  async doors(): Promise<readonly DoorView[]> {
    return this.doorViews
  }

  async addPassphraseDoor(_passphrase: string): Promise<{ readonly card: string }> {
    this.act('addPassphraseDoor')
    this.#addDoor('passphrase')
    return { card: `stave-card:${'AbC9dEf2GhJ5kLm8'.repeat(8)}` }
  }

  async addPasskeyDoor(): Promise<void> {
    this.act('addPasskeyDoor')
    this.#addDoor('passkey')
  }

  async removeDoor(doorId: string): Promise<void> {
    this.act(`removeDoor ${doorId}`)
    this.doorViews = this.doorViews.filter((door) => door.id !== doorId)
    this.tell({ what: 'devices' })
  }

  async suggestPassphrase(): Promise<string> {
    return 'velvet harbor island meadow timber candle'
  }

  async people(): Promise<readonly PersonView[]> {
    return this.personViews
  }

  async person(id: string): Promise<PersonPage> {
    const view = this.personViews.find((person) => person.id === id)
    if (view === undefined) throw new InputError('person/unknown')
    return { ...view, safetyNumber: '0123456789'.repeat(6), code: SAFETY_CODE }
  }

  async markVerified(id: string, verified: boolean): Promise<void> {
    this.act(`markVerified ${id} ${verified}`)
    this.movePerson(id, { verified })
  }

  async comparePersonCode(id: string, code: string): Promise<boolean> {
    this.act(`comparePersonCode ${id}`)
    if (code.length !== SAFETY_CODE.length) throw new InputError('person/code')
    if (code === SAFETY_CODE) this.movePerson(id, { verified: true })
    return code === SAFETY_CODE
  }

  async lookedAt(id: string): Promise<void> {
    this.act(`lookedAt ${id}`)
    this.alarmViews = this.alarmViews.map((alarm) => (alarm.about === id ? { ...alarm, looked: true } : alarm))
    const person = this.personViews.find((one) => one.id === id)
    if (person === undefined) return this.tell({ what: 'people' })
    const { problem: _, ...rest } = person
    this.personViews = this.personViews.map((one) => (one.id === id ? { ...rest, stopped: false } : one))
    this.tell({ what: 'people' })
  }

  async alarms(): Promise<readonly AlarmView[]> {
    return this.alarmViews
  }

  movePerson(id: string, more: Partial<PersonView>): void {
    this.personViews = this.personViews.map((person) => (person.id === id ? { ...person, ...more } : person))
    this.tell({ what: 'people' })
  }

  async lock(): Promise<LockView> {
    return this.lockNowView
  }

  async setLock(choice: LockChoice): Promise<void> {
    this.act('setLock')
    this.lockNowView = { state: 'unlocked', by: choice.by, afterMinutes: choice.afterMinutes }
    if (choice.by === 'passphrase') this.lockPassphrase = choice.passphrase
    this.tell({ what: 'lock' })
  }

  async removeLock(): Promise<void> {
    this.act('removeLock')
    this.lockNowView = { state: 'off' }
    this.tell({ what: 'lock' })
  }

  async lockNow(): Promise<void> {
    this.act('lockNow')
    this.#behindLock = this.accountView
    this.accountView = { state: 'locked', doors: [this.lockNowView.by ?? 'passphrase'] }
    this.lockNowView = { ...this.lockNowView, state: 'locked' }
    this.tell({ what: 'lock' })
  }

  async unlock(key: { readonly passphrase: string } | 'passkey'): Promise<void> {
    this.act('unlock')
    if (key !== 'passkey' && key.passphrase !== this.lockPassphrase) throw new InputError('lock/wrong')
    this.accountView = this.#behindLock
    this.lockNowView = { ...this.lockNowView, state: 'unlocked' }
    this.tell({ what: 'lock' })
  }

  touch(): void {
    this.touches++
  }

  async exportArchive(_passphrase: string): Promise<ReadableStream<Uint8Array>> {
    this.act('exportArchive')
    return new Blob(['age-encryption.org/v1']).stream()
  }

  async importArchive(_file: Blob, _passphrase: string): Promise<void> {
    this.act('importArchive')
  }

  protected arriveHere(deviceName: string, holdsRoot: boolean): void {
    const { name, fingerprint } = this.found
    this.accountView = {
      state: 'ready',
      name,
      deviceName,
      backedUp: true,
      fingerprint,
      holdsRoot,
      persistent: true,
    }
    this.tell({ what: 'account' })
  }

  protected act(name: string): void {
    this.calls.push(name)
    const error = this.nextErrors.get(name)
    this.nextErrors.delete(name)
    if (error !== undefined) throw error
  }

  #addDoor(kind: DoorView['kind']): void {
    this.doorViews = [...this.doorViews, { id: `door${this.doorViews.length}`, kind, name: '' }]
    this.tell({ what: 'devices' })
  }
}
