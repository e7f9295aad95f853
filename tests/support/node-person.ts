import WebSocket from 'ws'
import { Engine } from '#app/engine.ts'
import { localFace } from '#app/face/local-face.ts'
import type { Face } from '#app/face.ts'
import type { Change, Changes } from '#app/ports/changes.ts'
import { systemDice } from '#core/crypto/random.ts'
import type { Socket } from '#net/noise-socket.ts'
import { RelayClient } from '#net/relay-client.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeAgeSeal } from '#web/age-seal.ts'
import { systemClock } from '#web/clock.ts'
import { makeKeyMemory } from './key-memory.ts'
import { MemoryRows, makeMemoryHandles } from './memory-rows.ts'
import { noPasskeys } from './no-passkeys.ts'

export type NodePerson = {
  readonly face: Face
  readonly engine: Engine
  readonly store: SealedStore
  readonly rows: MemoryRows
  /** Resolves once `done` holds, looking again at every change. */
  until(done: () => Promise<boolean>): Promise<void>
  stop(): void
}

/** The real engine and face in Node, over a real socket to a real relay; `capture` gets every frame as it is on the wire. */
export async function makeNodePerson(
  origin: string,
  name: string,
  capture: (frame: Uint8Array) => void = () => {},
): Promise<NodePerson> {
  const rows = new MemoryRows()
  const handles = makeMemoryHandles()
  const listeners = new Set<(change: Change) => void>()
  const changes: Changes = {
    announce: (change) => {
      for (const listener of listeners) listener(change)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const relay = new RelayClient({
    clock: systemClock,
    dice: systemDice,
    openSocket: (url) => captured(new WebSocket(url, { perMessageDeflate: false }), capture) as unknown as Socket,
    fetchJson: async (url) => (await fetch(url)).json(),
  })
  const memory = makeKeyMemory()
  const store = new SealedStore(rows, handles, memory)
  const engine = new Engine({
    store,
    handles,
    relay,
    clock: systemClock,
    dice: systemDice,
    changes,
    notifier: { unread: () => {}, arrived: () => {} },
    defaultOrigin: origin,
    joinsAtOnce: true,
  })
  const face = localFace({
    store: new SealedStore(rows, handles, memory),
    bridge: { request: (request, args) => engine.request(request, args) },
    changes,
    clock: systemClock,
    dice: systemDice,
    askPersistence: async () => 'granted',
    isPersistent: async () => true,
    supported: () => true,
    kind: 'web',
    passkeys: noPasskeys,
    archiveSeal: makeAgeSeal(),
  })
  await face.createIdentity({ name, deviceName: `laptop of ${name}` })
  return {
    face,
    engine,
    store,
    rows,
    until: (done) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          done().then((holds) => {
            if (!holds) return
            stop()
            resolve()
          }, reject)
        }
        const stop = face.subscribe(look)
        look()
      }),
    stop: () => engine.stop(),
  }
}

function captured(socket: WebSocket, capture: (frame: Uint8Array) => void): WebSocket {
  const send = socket.send.bind(socket) as (data: Uint8Array) => void
  socket.send = ((data: Uint8Array) => {
    capture(data)
    send(data)
  }) as WebSocket['send']
  socket.on('message', (data: ArrayBuffer | Buffer) => capture(new Uint8Array(data as ArrayBuffer)))
  return socket
}

/** Makes contact by an invitation. @returns the channel's id on each side */
export async function introduce(
  inviter: NodePerson,
  claimer: NodePerson,
): Promise<{ ofInviter: string; ofClaimer: string }> {
  const { link } = await inviter.face.createInvitation()
  const { channelId } = await claimer.face.acceptInvitation(link)
  const direct = async () => (await inviter.face.channels()).find(({ kind }) => kind === 'direct')
  await inviter.until(async () => (await direct()) !== undefined)
  return { ofInviter: (await direct())?.id ?? '', ofClaimer: channelId }
}

export async function delivered(person: NodePerson, channelId: string, count: number): Promise<void> {
  await person.until(async () => {
    const { lines } = await person.face.lines(channelId, { limit: 1000 })
    return (
      lines.filter((line) => line.kind === 'text' && line.author.mine && line.state === 'delivered').length >= count
    )
  })
}
