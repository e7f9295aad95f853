import type { Push } from '#app/ports/relay.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { RelayError, UsageError } from '#core/errors.ts'
import { decodeReceived, decodeRequest, encodeRequest } from '#core/wire/message.ts'
import { type ArgsOf, type OperationName, operations, type ReplyOf } from '#core/wire/operations.ts'
import { unsafeTurnClock } from '../../worker/clock.ts'
import type { Env } from '../../worker/env.ts'
import { Account } from '../../worker/objects/account.ts'
import { Channel } from '../../worker/objects/channel.ts'
import { Directory } from '../../worker/objects/directory.ts'
import { Log } from '../../worker/objects/log.ts'
import { Mailbox } from '../../worker/objects/mailbox.ts'
import { Realm } from '../../worker/objects/realm.ts'
import { Rendezvous } from '../../worker/objects/rendezvous.ts'
import { Transparency } from '../../worker/objects/transparency.ts'
import { dispatch } from '../../worker/ops/dispatch.ts'
import { type CrashPlan, Machine } from './relay/machine.ts'
import { Seeded } from './seeded.ts'

export type Connection = {
  /** Through the encoded request and the encoded answer, as on the wire. @throws RelayError */
  call<O extends OperationName>(op: O, args: ArgsOf<O>): Promise<ReplyOf<O>>
  close(): void
}

export type Table = { readonly object: string; readonly table: string; readonly rows: readonly unknown[][] }

export type MemoryRelay = {
  readonly env: Env
  connect(onPush: (push: Push) => void, onClose?: () => void): Connection
  /** The process dies: instances and connections are gone, databases stay. The next call finds it started again. */
  restart(): void
  crashPlan: CrashPlan
  /** Runs every alarm that is due. @returns how many */
  runAlarms(nowMs: number): Promise<number>
  readonly nextAlarmMs: number | undefined
  /** Until nothing runs behind the answers: wakes and welcomes under way are delivered. */
  idle(): Promise<void>
  /** Copies what objects of one kind ('LOG', …) have stored. @returns the way to put that copy back */
  copy(kind: string): () => void
  /** Every row that the relay stores. */
  dump(): readonly Table[]
  close(): void
}

type Wire = { readonly push: (bytes: Uint8Array) => void; readonly lose: () => void }

/** The relay's own Durable Objects on SQLite in memory, without sockets: for simulations, and for tests of the objects. */
export function makeMemoryRelay({
  clock,
  seed,
}: {
  readonly clock: { now(): number }
  readonly seed: number
}): MemoryRelay {
  unsafeTurnClock(() => clock.now())
  const { dice } = new Seeded(seed)
  const machine = new Machine({
    ACCOUNT: Account,
    CHANNEL: Channel,
    DIRECTORY: Directory,
    LOG: Log,
    MAILBOX: Mailbox,
    REALM: Realm,
    RENDEZVOUS: Rendezvous,
    TRANSPARENCY: Transparency,
  })
  const wires = new Map<string, Wire>()
  const env: Env = {
    SESSION: sessions(wires),
    MAILBOX: machine.namespace<Mailbox>('MAILBOX'),
    CHANNEL: machine.namespace<Channel>('CHANNEL'),
    ACCOUNT: machine.namespace<Account>('ACCOUNT'),
    DIRECTORY: machine.namespace<Directory>('DIRECTORY'),
    LOG: machine.namespace<Log>('LOG'),
    RENDEZVOUS: machine.namespace<Rendezvous>('RENDEZVOUS'),
    REALM: machine.namespace<Realm>('REALM'),
    TRANSPARENCY: machine.namespace<Transparency>('TRANSPARENCY'),
    NOISE_KEY: toBase64url(dice(32)),
    LIST_KEY: toBase64url(dice(32)),
    DROP_KEY: toBase64url(dice(32)),
    INCARNATION: toBase64url(dice(16)),
  }
  machine.env = env
  machine.onCrash = () => {
    for (const wire of [...wires.values()]) wire.lose()
  }
  let sessionsSoFar = 0
  return {
    env,
    connect: (onPush, onClose = () => {}) => connect(env, wires, `session-${++sessionsSoFar}`, onPush, onClose),
    restart: () => machine.crash(),
    get crashPlan() {
      return machine.crashPlan
    },
    set crashPlan(plan) {
      machine.crashPlan = plan
    },
    runAlarms: (nowMs) => machine.runAlarms(nowMs),
    get nextAlarmMs() {
      return machine.nextAlarmMs
    },
    idle: () => machine.idle(),
    copy: (kind) => machine.copy(kind),
    dump: () => dump(machine),
    close: () => machine.close(),
  }
}

function connect(
  env: Env,
  wires: Map<string, Wire>,
  session: string,
  onPush: (push: Push) => void,
  onClose: () => void,
): Connection {
  const inFlight = new Set<(error: RelayError) => void>()
  let open = true
  let nextId = 1
  const lose = (): void => {
    if (!open) return
    open = false
    wires.delete(session)
    for (const fail of inFlight) fail(unreachable())
    inFlight.clear()
    onClose()
  }
  const push = (bytes: Uint8Array): void => {
    const message = decodeReceived(bytes)
    if (message.kind === 'push') onPush({ name: message.name, value: message.value } as Push)
  }
  wires.set(session, { push, lose })
  return {
    call: (op, args) =>
      new Promise((resolve, reject) => {
        if (!open) return reject(unreachable())
        inFlight.add(reject)
        const request = decodeRequest(encodeRequest(nextId++, op, args))
        dispatch({ env, session }, request).then((bytes) => {
          inFlight.delete(reject)
          try {
            resolve(read(op, bytes))
          } catch (error) {
            reject(error)
          }
        }, reject)
      }),
    close: lose,
  }
}

function read<O extends OperationName>(op: O, bytes: Uint8Array): ReplyOf<O> {
  const message = decodeReceived(bytes)
  if (message.kind === 'reply') return operations[op].reply.check(message.value) as ReplyOf<O>
  if (message.kind !== 'refusal') throw new UsageError('memory-relay/answer')
  const { code, retryable, ...detail } = message.refusal
  throw new RelayError(code, { retryable, detail })
}

function unreachable(): RelayError {
  return new RelayError('relay/unreachable', { retryable: true })
}

/** Connections in place of Session objects: what mailboxes push goes straight to whoever connected. */
function sessions(wires: ReadonlyMap<string, Wire>): Env['SESSION'] {
  const id = (text: string) => ({ toString: () => text })
  const push = async (session: string, bytes: Uint8Array): Promise<boolean> => {
    await undefined
    const wire = wires.get(session)
    wire?.push(bytes)
    return wire !== undefined
  }
  return {
    idFromName: id,
    idFromString: id,
    newUniqueId: () => id(''),
    get: (session) =>
      ({ push: (bytes: Uint8Array) => push(session.toString(), bytes) }) as ReturnType<Env['SESSION']['get']>,
  }
}

function dump(machine: Machine): Table[] {
  const tables: Table[] = []
  for (const [object, { db }] of machine.disks) {
    const names = db.exec("SELECT name FROM sqlite_master WHERE type = 'table'")[0]?.values ?? []
    for (const [name] of names) {
      const rows = db.exec(`SELECT * FROM "${String(name)}"`)[0]?.values ?? []
      tables.push({ object, table: String(name), rows })
    }
  }
  return tables
}
