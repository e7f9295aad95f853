import type { Deps } from '#app/deps.ts'
import { beginHistory } from '#app/log/begin-history.ts'
import { compactLog } from '#app/log/compact.ts'
import { openRow } from '#app/log/open-row.ts'
import type { OwnLog } from '#app/log/own-log.ts'
import { pullLog } from '#app/log/pull.ts'
import { restoreHistory } from '#app/log/restore-history.ts'
import { readRestore, resumeRestore, stopRestore } from '#app/log/restore-work.ts'
import { firstLogHead } from '#core/channel/log-chain.ts'
import { type KeyRing, makeKeyRing, newest } from '#core/keys/key-ring.ts'
import type { Delta, DeltaOf } from '#core/log/delta.ts'
import { sealEntry } from '#core/log/seal.ts'
import type { AccountId, Address, DeviceId, MessageId, WakeLabel } from '#core/wire/ids.ts'
import type { MemoryLog } from './memory-log.ts'
import { MemoryRows } from './memory-rows.ts'
import { Seeded } from './seeded.ts'
import { PlainStore } from './sim/plain-store.ts'

const fill = (length: number, n: number) => new Uint8Array(length).fill(n)
const OWN = fill(32, 1) as AccountId
const FRIEND = fill(32, 2) as AccountId
const CHANNEL = fill(32, 11) as Address
export const LOG = fill(32, 12) as Address
const keys = { account: OWN, logAddressSecret: fill(32, 3), ownerKey: fill(32, 4) }
const ring: KeyRing = makeKeyRing(keys, new Seeded(1).dice)
const hands = { turn: <T>(_: string, task: () => Promise<T>) => task() }

/** A line of somebody else; of `bytes` that don't compress. */
export function line(n: number, more: Partial<DeltaOf<'line'>> = {}, bytes = 0): DeltaOf<'line'> {
  const random = new Seeded(n)
  const messageId = random.dice(16) as MessageId
  const noise = Buffer.from(random.dice(Math.floor((bytes * 3) / 4))).toString('base64')
  const common = { kind: 'line', at: n, channel: CHANNEL, order: n, messageId, author: FRIEND, atMs: n } as const
  return { ...common, text: `line ${n} ${noise}`, ...more }
}

/** Another device of the account appends an entry. */
export async function tell(log: MemoryLog, ...deltas: readonly Delta[]): Promise<number> {
  const position = log.last.position + 1
  const { dice } = new Seeded(1_000_000 + position)
  const entry = { v: 1, by: fill(16, 22) as DeviceId, deltas: [...deltas] }
  return log.append([{ bytes: await sealEntry(newest(ring), { address: LOG, position }, entry, dice) }])
}

/** Numbers of the lines that whoever has the log's keys can read there, each as often as it is there. */
export async function linesIn(log: MemoryLog): Promise<readonly number[]> {
  const found: number[] = []
  for (const row of log.rows) {
    const opened = await openRow({ ring, address: LOG }, row)
    for (const { delta } of opened?.told ?? []) if (delta.kind === 'line') found.push(delta.order)
  }
  return found.sort((a, b) => a - b)
}

/** A device as far as its account's log goes. */
export class LogDevice {
  readonly store = new PlainStore(new MemoryRows())
  readonly #deps: Deps
  #own: OwnLog

  private constructor(log: MemoryLog, seed: number, now: () => number) {
    const { dice } = new Seeded(seed)
    const clock = { now, after: () => () => {} }
    const changes = { announce: () => {} }
    this.#deps = { store: this.store, relay: log.caller, clock, dice, changes } as unknown as Deps
    const device = { deviceId: fill(16, 21), deviceName: 'one', deviceKind: 'web' }
    const label = fill(16, 5) as WakeLabel
    const record = { kind: 'log', position: 0, head: firstLogHead(LOG), lastStamp: 0, singles: 0, label } as const
    const account = { account: OWN, name: 'Ann' }
    this.#own = { account, device, ring, address: LOG, isOpen: true, record } as unknown as OwnLog
  }

  static async make(log: MemoryLog, seed: number, now: () => number): Promise<LogDevice> {
    const made = new LogDevice(log, seed, now)
    await made.store.takeOver()
    return made
  }

  get record(): OwnLog['record'] {
    return this.#own.record
  }

  async pull(): Promise<void> {
    this.#own = await pullLog(this.#deps, hands, this.#own, { channels: new Set(), newDevice: false })
  }

  /** Comes to the log anew. */
  async begin(): Promise<void> {
    this.#own = await beginHistory(this.#deps, this.#own)
  }

  /** A few rows further back. @returns whether that was all, or more can't be told before the next pull */
  async readOn(): Promise<'more' | 'done' | 'behind'> {
    const state = await restoreHistory(this.#deps, hands, this.#own, async () => {})
    const record = await this.store.get('meta', 'log')
    if (record?.kind === 'log') this.#own = { ...this.#own, record }
    return state
  }

  /** The person has no time for it. */
  async stop(): Promise<void> {
    await stopRestore(this.#deps)
    const record = await this.store.get('meta', 'log')
    if (record?.kind === 'log') this.#own = { ...this.#own, record }
  }

  /** From where it is to the beginning. @returns whether nothing was missed */
  async readAll(): Promise<boolean> {
    await resumeRestore(this.#deps)
    for (let state = await this.readOn(); state !== 'done'; state = await this.readOn())
      if (state === 'behind') await this.pull()
    return (await readRestore(this.store)) === undefined
  }

  /** Comes to the log anew, and reads it from its end. @returns whether nothing was missed */
  async restore(): Promise<boolean> {
    await this.begin()
    return this.readAll()
  }

  async compact(): Promise<void> {
    this.#own = await compactLog(this.#deps, this.#own)
  }

  /** The relay has taken nothing more, as its log is full. */
  async makeRoom(): Promise<void> {
    this.#own = await compactLog(this.#deps, this.#own, 0)
  }

  /** What it has of the conversation. */
  async lines(): Promise<readonly number[]> {
    const blocks = await this.store.list('blocks')
    return blocks.flatMap(({ record }) => record.lines.map(({ order }) => order)).sort((a, b) => a - b)
  }
}
