import { batch, type Signal, signal } from '@preact/signals'
import type {
  AccountView,
  AlarmView,
  ChannelDetails,
  ChannelHealth,
  ChannelView,
  DeviceView,
  DoorView,
  Face,
  InvitationView,
  Linking,
  LockView,
  PersonPage,
  PersonView,
  Settings,
  Work,
} from '#app/face.ts'
import { coalesce } from './coalesce.ts'

const FIRST_SETTINGS: Settings = {
  language: 'auto',
  theme: 'auto',
  density: 'comfortable',
  enterSends: true,
  cover: 'light',
}

/** What was read of the store and of the engine, as signals, and how each is read again. */
export function createReadings(face: Face, first: Partial<Settings>) {
  const account = signal<AccountView | undefined>(undefined)
  const channels = signal<readonly ChannelView[] | undefined>(undefined)
  const invitations = signal<readonly InvitationView[]>([])
  const devices = signal<readonly DeviceView[] | undefined>(undefined)
  const doors = signal<readonly DoorView[] | undefined>(undefined)
  const people = signal<readonly PersonView[] | undefined>(undefined)
  const person = signal<PersonPage | undefined>(undefined)
  const alarms = signal<readonly AlarmView[] | undefined>(undefined)
  const details = signal<ChannelDetails | undefined>(undefined)
  const health = signal<readonly ChannelHealth[] | undefined>(undefined)
  const linking = signal<Linking>({ state: 'none' })
  const work = signal<readonly Work[]>([])
  const lock = signal<LockView | undefined>(undefined)
  const settings = signal<Settings>({ ...FIRST_SETTINGS, ...first })
  const problem = signal<unknown>(undefined)

  /** Locked, or removed by another device (K-07). */
  const isShut = () => account.peek()?.state === 'locked' || account.peek()?.state === 'revoked'
  const report = (error: unknown) => {
    if (!isShut()) problem.value = error
  }
  /** What is read while the lock falls is not shown any more (K-10). */
  function keep<T>(into: Signal<T>, read: () => Promise<T>): () => Promise<void> {
    return coalesce(async () => {
      try {
        const found = await read()
        if (isShut()) return
        into.value = found
        problem.value = undefined
      } catch (error) {
        report(error)
      }
    })
  }
  /** What the engine alone can tell: while it is silent, what was known stays. */
  function ask<T>(into: Signal<T>, read: () => Promise<T>): () => Promise<void> {
    return coalesce(async () => {
      const found = await read().catch(() => undefined)
      if (found !== undefined && !isShut()) into.value = found
    })
  }
  /** Of one at a time, the one that is on the screen; called with no id, that one again. */
  function about<T>(into: Signal<T | undefined>, find: (id: string) => Promise<T>): (id?: string) => Promise<void> {
    let shownId: string | undefined
    const again = coalesce(async () => {
      const id = shownId
      if (id === undefined) return
      const found = await find(id).catch(() => undefined)
      if (found !== undefined && id === shownId && !isShut()) into.value = found
    })
    return (id = shownId) => {
      if (id !== shownId) into.value = undefined
      shownId = id
      return again()
    }
  }
  const read = {
    account: coalesce(async () => {
      try {
        account.value = await face.account()
        problem.value = undefined
      } catch (error) {
        report(error)
      }
    }),
    channels: keep<readonly ChannelView[] | undefined>(channels, () => face.channels()),
    invitations: keep(invitations, () => face.invitations()),
    settings: keep(settings, () => face.settings()),
    devices: keep<readonly DeviceView[] | undefined>(devices, () => face.devices()),
    doors: keep<readonly DoorView[] | undefined>(doors, () => face.doors()),
    people: keep<readonly PersonView[] | undefined>(people, () => face.people()),
    person: about<PersonPage>(person, (id) => face.person(id)),
    alarms: keep<readonly AlarmView[] | undefined>(alarms, () => face.alarms()),
    details: about<ChannelDetails>(details, (id) => face.channelDetails(id)),
    health: keep<readonly ChannelHealth[] | undefined>(health, () => face.keyHealth()),
    linking: ask<Linking>(linking, () => face.linking()),
    work: ask<readonly Work[]>(work, () => face.work()),
    lock: ask<LockView | undefined>(lock, () => face.lock()),
    /** After an account has come: made, restored, linked or unlocked. */
    all: () =>
      Promise.all([read.settings(), read.channels(), read.invitations(), read.linking(), read.work(), read.lock()]),
  }

  /** K-10: nothing that could be read stays in memory. */
  function forget(): void {
    batch(() => {
      channels.value = undefined
      invitations.value = []
      devices.value = undefined
      doors.value = undefined
      people.value = undefined
      person.value = undefined
      alarms.value = undefined
      details.value = undefined
      health.value = undefined
      linking.value = { state: 'none' }
      work.value = []
      lock.value = undefined
      problem.value = undefined
    })
  }

  return {
    account,
    channels,
    invitations,
    devices,
    doors,
    people,
    person,
    alarms,
    details,
    health,
    linking,
    work,
    lock,
    settings,
    problem,
    isShut,
    report,
    read,
    forget,
  }
}
