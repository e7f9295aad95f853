import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, RelayError } from '#core/errors.ts'
import { decodeCertificate } from '#core/identity/certificate.ts'
import { addressOfName, isChannelName } from '#core/identity/channel-name.ts'
import { JOIN_ID_BYTES, sealJoinRequest } from '#core/message/join-request.ts'
import type { Address } from '#core/wire/ids.ts'
import { MAX_JOIN_NOTE_UNITS } from '#core/wire/limits.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { isOut } from '../channel/is-out.ts'
import type { Deps } from '../deps.ts'
import type { AskRecord } from '../ports/join-records.ts'
import type { Row, Store } from '../ports/store.ts'
import type { EngineHands } from '../requests.ts'
import type { Apart } from './apart.ts'

type Hands = Pick<EngineHands, 'turn'>

/** The turn in which rows of what was asked are changed: by asking, and by what comes of it. Nothing else is waited for in it. */
export const ASKS = 'asks'
const KEY_BYTES = 9
const DAY_MS = 24 * 60 * 60 * 1000
/** As long as a request waits at the relay. */
export const ASK_LIFETIME_MS = 14 * DAY_MS
/** Somebody who has read it may answer a while after. */
const TAKEN_FOR_MS = 30 * DAY_MS

/**
 * Asks to be let into a channel by its name (C-09): sealed for whoever may let people in, and stored before it leaves, so that it
 * is sent again as it is. Runs in the turn 'joins'.
 * @throws InputError 'name/form', 'name/unknown', 'join/note', 'join/asked', 'join/member', RelayError 'quota/asks'
 */
export async function askToJoin(deps: Deps, hands: Hands, name: string, note: string): Promise<void> {
  if (!isChannelName(name)) throw new InputError('name/form')
  if (note.length > MAX_JOIN_NOTE_UNITS) throw new InputError('join/note')
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted')
  const address = addressOfName(name)
  if (await isIn(deps, address)) throw new InputError('join/member')
  const before = await askFor(deps, address)
  if (before !== undefined && isWaiting(before.record, deps.clock.now())) throw new InputError('join/asked')
  const { joinKey } = await deps.relay.call('name.find', { name })
  if (joinKey === undefined) throw new InputError('name/unknown')

  const [id, atMs] = [deps.dice(JOIN_ID_BYTES), deps.clock.now()]
  const asked = {
    name: account.name,
    manifest: account.manifest,
    device: decodeCertificate(device.certificate).deviceId,
    note,
    atMs,
  }
  const signer = await deviceSigner(deps.handles, device)
  const request = await sealJoinRequest(joinKey, { address, id }, asked, signer, deps.dice)
  const key = String(before?.key ?? toBase64url(deps.dice(KEY_BYTES)))
  const record: AskRecord = { name, address, id, note, atMs, request }
  await deps.store.write([{ put: 'asks', key, record }])
  try {
    await send(deps, hands, key, record)
  } catch (error) {
    // The relay may have it already (OPS3): it is sent again as it is.
    if (error instanceof RelayError && error.retryable && error.code !== 'quota/asks') return
    await changeAsk(deps, hands, key, () => undefined)
    throw error
  }
}

async function send(deps: Deps, hands: Hands, key: string, { name, id, request }: AskRecord): Promise<void> {
  await deps.relay.call('name.ask', { name, id, request })
  await changeAsk(deps, hands, key, (now) => ({ ...now, sent: true }))
}

/** What was stored and not taken yet; one that the relay refuses for good is not asked any more. */
export async function sendAsks(deps: Deps, hands: Hands, apart: Apart): Promise<void> {
  for (const { key, record } of await deps.store.list('asks')) {
    if (!record.sent && record.channelId === undefined) await apart(() => sendOrDrop(deps, hands, String(key), record))
  }
}

async function sendOrDrop(deps: Deps, hands: Hands, key: string, record: AskRecord): Promise<void> {
  try {
    await send(deps, hands, key, record)
  } catch (error) {
    if (!(error instanceof RelayError) || error.retryable) throw error
    await changeAsk(deps, hands, key, () => undefined)
  }
}

/** Here alone: what lies at the relay goes by itself. */
export async function withdrawAsk({ store }: Pick<Deps, 'store'>, hands: Hands, id: string): Promise<void> {
  await hands.turn(ASKS, () => store.write([{ delete: 'asks', key: id }]))
}

/** As it is after the network was waited for: what was withdrawn or came in meanwhile stays so. */
async function changeAsk(
  { store }: Pick<Deps, 'store'>,
  hands: Hands,
  key: string,
  change: (now: AskRecord) => AskRecord | undefined,
): Promise<void> {
  await hands.turn(ASKS, async () => {
    const now = await store.get('asks', key)
    if (now === undefined || now.channelId !== undefined) return
    const record = change(now)
    await store.write([record === undefined ? { delete: 'asks', key } : { put: 'asks', key, record }])
  })
}

/** Whether this account has asked to come in there: then whoever brings it in is not unasked (M-11). In the turn 'asks'. */
export async function askedFor(
  deps: Pick<Deps, 'store' | 'clock'>,
  address: Address,
): Promise<Row<'asks'> | undefined> {
  const row = await askFor(deps, address)
  const isOpen = row !== undefined && row.record.channelId === undefined
  return isOpen && deps.clock.now() - row.record.atMs < TAKEN_FOR_MS ? row : undefined
}

export function isWaiting({ channelId, atMs }: AskRecord, nowMs: number): boolean {
  return channelId === undefined && nowMs - atMs < ASK_LIFETIME_MS
}

async function askFor(
  { store }: { readonly store: Pick<Store, 'list'> },
  address: Address,
): Promise<Row<'asks'> | undefined> {
  return (await store.list('asks')).find(({ record }) => equalBytes(record.address, address))
}

async function isIn({ store }: Pick<Deps, 'store'>, address: Address): Promise<boolean> {
  return (await store.list('channels')).some(
    ({ record }) => !isOut(record) && record.address !== undefined && equalBytes(record.address, address),
  )
}
