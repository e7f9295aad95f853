/**
 * What a relay could be at most: one Durable Object that answers each frame, with or without one insert before. No
 * encryption, no order, no access control. It is what the relay is compared with.
 */

/**
 * @typedef {{ send(data: ArrayBuffer | Uint8Array): void, serializeAttachment(value: unknown): void, deserializeAttachment(): unknown }} Socket
 * @typedef {{ acceptWebSocket(socket: Socket): void, storage: { sql: { exec(statement: string, ...values: unknown[]): unknown } } }} State
 * @typedef {{ BARE: { idFromName(name: string): unknown, get(id: unknown): { fetch(request: Request): Promise<Response> } } }} Env
 */
const ENVELOPE_BYTES = 256
const ANSWER = new Uint8Array(256)
const { WebSocketPair } = /** @type {{ WebSocketPair: new () => { 0: Socket, 1: Socket } }} */ (
  /** @type {unknown} */ (globalThis)
)

export class Bare {
  /** @param {State} state */
  constructor(state) {
    this.state = state
    state.storage.sql.exec('CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, envelope BLOB NOT NULL)')
  }

  /** @param {Request} request */
  fetch(request) {
    const { 0: client, 1: server } = new WebSocketPair()
    this.state.acceptWebSocket(server)
    server.serializeAttachment(new URL(request.url).pathname)
    return new Response(null, /** @type {ResponseInit} */ ({ status: 101, webSocket: client }))
  }

  /** @param {Socket} socket @param {ArrayBuffer} frame */
  webSocketMessage(socket, frame) {
    if (socket.deserializeAttachment() === '/insert')
      this.state.storage.sql.exec('INSERT INTO log (envelope) VALUES (?)', frame.slice(0, ENVELOPE_BYTES))
    socket.send(ANSWER) // not before the insert is on the disk: the runtime holds it back until then
  }
}

/** @param {Request} request @param {Env} env */
function answer(request, env) {
  if (request.headers.get('upgrade') !== 'websocket')
    return new Response('<!doctype html><title>bare</title>', { headers: { 'content-type': 'text/html' } })
  return env.BARE.get(env.BARE.idFromName('bare')).fetch(request)
}

export const worker = { fetch: answer }
