/** Runs inside a page of the built client, on its own store and channels. */
import { localFace } from '#app/face/local-face.ts'
import type { Face, LineState } from '#app/face.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import type { Change } from '#app/ports/store.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { systemDice } from '#core/crypto/random.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { IdbRows } from '#store/idb-rows.ts'
import { makeKeyHandles } from '#store/key-handles.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeAgeSeal } from '#web/age-seal.ts'
import { makeBroadcastBridge } from '#web/broadcast-bridge.ts'
import { makeBroadcastChanges } from '#web/broadcast-changes.ts'
import { systemClock } from '#web/clock.ts'
import { makeTabsMemory } from '#web/lock-memory.ts'
import { webPasskeys } from '#web/passkey.ts'

const CHANNELS = 20
const MESSAGES_PER_WRITE = 500
const MINUTE_MS = 60_000
const rows = new IdbRows()
const store = new SealedStore(rows, makeKeyHandles(), makeTabsMemory(systemClock))
let known: Face | undefined

function face(): Face {
  known ??= localFace({
    store,
    bridge: makeBroadcastBridge(),
    changes: makeBroadcastChanges(),
    clock: systemClock,
    dice: systemDice,
    askPersistence: async () => 'granted',
    isPersistent: async () => true,
    supported: () => true,
    kind: 'web',
    passkeys: webPasskeys,
    archiveSeal: makeAgeSeal(),
  })
  return known
}

/** So many messages in twenty channels, as a long conversation leaves them. The engine of this origin is fenced off. */
async function seed(count: number): Promise<void> {
  await store.takeOver()
  const author = systemDice(32) as AccountId
  const startMs = Date.now() - count * MINUTE_MS
  const channels = Array.from({ length: CHANNELS }, () => toBase64url(systemDice(32)))
  for (let n = 0; n < count; n += MESSAGES_PER_WRITE) {
    const changes: Change[] = []
    for (let i = n; i < Math.min(n + MESSAGES_PER_WRITE, count); i++) {
      const channelId = channels[i % CHANNELS] ?? ''
      const order = Math.floor(i / CHANNELS) + 1
      const messageId = systemDice(16) as MessageId
      const text = `Message ${i}: as long as what people write to each other, some more and some less.`
      const common = { kind: 'text', messageId, author, atMs: startMs + i * MINUTE_MS, text, theirs: order } as const
      changes.push(
        { put: 'lines', key: [channelId, order], record: { ...common, mine: false, state: 'delivered' } },
        { put: 'lineIds', key: [channelId, toBase64url(messageId)], record: { order } },
      )
    }
    await store.write(changes)
  }
  const shown = channels.map((key, i): Change => {
    const record: ChannelRecord = {
      title: `Channel ${i}`,
      kind: 'direct',
      state: 'open',
      lastText: 'As long as what people write to each other.',
      lastAtMs: Date.now() - i * MINUTE_MS,
      lastState: 'theirs',
      theirs: Math.ceil(count / CHANNELS),
    }
    return { put: 'channels', key, record }
  })
  await store.write(shown)
}

async function onlyChannel(): Promise<string> {
  return (await face().channels()).find(({ kind }) => kind !== 'notes')?.id ?? ''
}

/** Resolves once all of these, and no fewer, are at least at the relay. */
async function untilSent(channelId: string, texts: ReadonlySet<string>): Promise<void> {
  const done: readonly LineState[] = ['sent', 'delivered']
  await new Promise<void>((resolve) => {
    const look = async (): Promise<void> => {
      const { lines } = await face().lines(channelId, { limit: texts.size + 8 })
      const sent = lines.filter((line) => line.kind === 'text' && done.includes(line.state) && texts.has(line.text))
      if (sent.length < texts.size) return
      stop()
      resolve()
    }
    const stop = face().subscribe((change) => {
      if (change.what === 'lines') void look()
    })
    void look()
  })
}

/** @returns milliseconds from the first write until all are 'sent' */
async function sendAtOnce(name: string, count: number): Promise<number> {
  const channelId = await onlyChannel()
  const texts = Array.from({ length: count }, (_, i) => `${name} ${i}`)
  const startMs = performance.now()
  await Promise.all(texts.map((text) => face().sendText(channelId, text)))
  await untilSent(channelId, new Set(texts))
  return performance.now() - startMs
}

/** @returns the time of day when that one message is 'sent' */
async function sentAt(text: string): Promise<number> {
  const channelId = await onlyChannel()
  await face().sendText(channelId, text)
  await untilSent(channelId, new Set([text]))
  return nowMs()
}

/**
 * The same as the engine goes over to another tab: times of day when the new one connects, when the relay has answered
 * it, and when the message is 'sent'.
 */
async function sentSteps(text: string): Promise<{ startedMs: number; onlineMs: number; sentMs: number }> {
  let startedMs = Number.NaN
  let onlineMs = Number.NaN
  const stop = face().subscribe((change) => {
    if (change.what !== 'connection') return
    if (Number.isNaN(startedMs) && change.connection.state === 'connecting') startedMs = nowMs()
    if (!Number.isNaN(startedMs) && Number.isNaN(onlineMs) && change.connection.state === 'online') onlineMs = nowMs()
  })
  const sentMs = await sentAt(text)
  stop()
  return { startedMs, onlineMs, sentMs }
}

/** Milliseconds of each of so many durable writes of one row, each after the one before: what the disk costs here. */
async function durableWrites(count: number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const startMs = performance.now()
    await store.writeFree('drafts', 'bench', { text: `${i}` })
    times.push(performance.now() - startMs)
  }
  return times
}

async function coverOff(): Promise<void> {
  await face().saveSettings({ ...(await face().settings()), cover: 'off' })
}

/** Bytes of sealed rows of these tables, without keys. */
async function storedBytes(): Promise<{ lines: number; bytes: number }> {
  const [lines, ids] = await Promise.all([rows.range('lines', {}), rows.range('lineIds', {})])
  return { lines: lines.length, bytes: [...lines, ...ids].reduce((sum, { value }) => sum + value.length, 0) }
}

async function usage(): Promise<number> {
  return (await navigator.storage.estimate()).usage ?? Number.NaN
}

/** Resolves once no history is to come any more. */
async function untilRestored(): Promise<void> {
  while ((await face().work()).length > 0) await new Promise((next) => setTimeout(next, 50))
}

/** When a key was pressed here, and when each text, or 'sent' beside it, was drawn here: times of day, comparable between pages of one machine. */
const drawnMs = new Map<string, number>()
let pressedMs = Number.NaN
const nowMs = (): number => performance.timeOrigin + performance.now()

function watch(): void {
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Enter') pressedMs = nowMs()
  }
  document.addEventListener('keydown', onKey, true)
  new MutationObserver(() => {
    const line = [...document.querySelectorAll<HTMLElement>('[data-testid="line"]')].at(-1)
    const text = line?.querySelector('.line-body')?.textContent ?? ''
    noteDrawn(text)
    if (['sent', 'delivered'].includes(line?.dataset.lineState ?? '')) noteDrawn(`sent: ${text}`)
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-line-state'] })
}

function noteDrawn(what: string): void {
  if (drawnMs.has(what)) return
  drawnMs.set(what, Number.POSITIVE_INFINITY)
  requestAnimationFrame(() => drawnMs.set(what, nowMs()))
}

async function drawnAt(what: string): Promise<number> {
  for (;;) {
    const atMs = drawnMs.get(what) ?? Number.POSITIVE_INFINITY
    if (Number.isFinite(atMs)) return atMs
    await new Promise((next) => setTimeout(next, 5))
  }
}

const pressedAt = (): number => pressedMs
const reads = { storedBytes, usage, drawnAt, pressedAt }
const tools = { seed, sendAtOnce, sentAt, sentSteps, durableWrites, untilRestored, coverOff, watch, ...reads }
Object.assign(globalThis, { staveBench: tools })
