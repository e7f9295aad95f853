import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { DhKeyPair } from '#core/crypto/x25519.ts'
import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import { type OpenedAsk, openJoinRequest } from '#core/message/join-request.ts'
import { joinKeyPair, type NameKeys } from '#core/message/name-keys.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { isBlocked } from '../contact/block.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { JoinRecord, NamedRecord } from '../ports/join-records.ts'
import type { EngineHands } from '../requests.ts'
import type { Apart } from './apart.ts'
import { mayLetIn } from './may-let-in.ts'
import { changeNamed } from './register-names.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Older than the relay keeps one: shown again by whoever had it. */
const TOO_OLD_MS = 16 * DAY_MS
/** Answers of eight, what could be settled in between. */
const MAX_ROUNDS = 10

type Hands = Pick<EngineHands, 'turn'>
type Keeping = { readonly channelId: string; readonly named: NamedRecord; readonly keys: NameKeys }

/** Channels whose requests this device can read, and may answer. */
export async function keptNames(deps: Deps): Promise<readonly Keeping[]> {
  const { account } = await accountOf(deps)
  return (await deps.store.list('channels')).flatMap(({ key, record }) => {
    const { named } = record
    if (named?.keys === undefined || named.state !== 'registered' || !mayLetIn(record, account)) return []
    return [{ channelId: String(key), named, keys: named.keys }]
  })
}

/**
 * Takes over what waits at the relay for these names (NAM4). What is nobody's request goes from there, so that it keeps no place;
 * a person's stays until it is answered, for others who may answer it too.
 */
export async function lookForAsks(deps: Deps, hands: Hands, apart: Apart): Promise<boolean> {
  let isNews = false
  for (const kept of await keptNames(deps)) isNews = (await apart(() => lookAt(deps, hands, kept))) || isNews
  return isNews
}

async function lookAt(deps: Deps, hands: Hands, { channelId, named, keys }: Keeping): Promise<boolean> {
  const { name } = named
  const pair = await joinKeyPair(keys)
  const { joinKey } = await deps.relay.call('name.find', { name })
  const isOurs = joinKey !== undefined && equalBytes(joinKey, pair.publicKey)
  let isNews = false
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = await waitingAt(deps, name, keys)
    if (answer === undefined) {
      await changeNamed(deps, hands, channelId, withoutKeys) // somebody gave ones that are none
      return true
    }
    if (round === 0) await changeNamed(deps, hands, channelId, (now) => judged(now, keys, isOurs))
    const known = new Map((await asksOf(deps, channelId)).map((row) => [row.key, row.record]))
    let settled = 0
    const here = new Set<string>()
    for (const { id, request } of answer.requests) {
      const key = `${channelId} ${toBase64url(id)}`
      here.add(key)
      if (known.has(key)) continue
      const opened = await openIfGood(deps, pair, { channelId, id }, request)
      const verdict = opened === undefined ? 'rubbish' : await judge(deps, channelId, opened, [...known.values()])
      if (opened !== undefined && verdict === 'ask') {
        const record = askedBy(channelId, id, opened)
        await deps.store.write([{ put: 'joins', key, record }])
        known.set(key, record)
        isNews = true
      } else if (isOurs && (verdict === 'rubbish' || answer.more)) {
        await deps.relay.call('name.settle', { name, token: keys.token, id })
        settled++
      }
    }
    isNews = (await dropAnswered(deps, known, here)) || isNews
    if (!answer.more || settled === 0) break
  }
  return isNews
}

async function waitingAt({ relay }: Deps, name: string, { token }: NameKeys) {
  try {
    return await relay.call('name.asked', { name, token })
  } catch (error) {
    if (error instanceof RelayError && (error.code === 'name/refused' || error.code === 'name/unknown'))
      return undefined
    throw error
  }
}

/** Those that were good once stay: a relay that has lost the name, or lies, must not take them away. */
function withoutKeys(named: NamedRecord): NamedRecord {
  if (named.proven) return named
  const { keys: _, ...rest } = named
  return rest
}

/** @param isOurs the relay gives out the key that goes with these */
function judged(named: NamedRecord, keys: NameKeys, isOurs: boolean): NamedRecord {
  if (named.keys === undefined || !equalBytes(named.keys.token, keys.token)) return named
  if ((named.swapped === true) === !isOurs && (named.proven || !isOurs)) return named
  const { swapped: _, ...rest } = named
  return { ...rest, ...(isOurs ? {} : { swapped: true }), ...(isOurs ? { proven: true } : {}) }
}

type AskRow = { readonly key: string; readonly record: JoinRecord }

async function asksOf({ store }: Deps, channelId: string): Promise<readonly AskRow[]> {
  const rows = await store.list('joins')
  return rows.flatMap(({ key, record }) =>
    record.channelId === channelId && 'ask' in record.by ? [{ key: String(key), record }] : [],
  )
}

async function openIfGood(
  deps: Deps,
  pair: DhKeyPair,
  { channelId, id }: { readonly channelId: string; readonly id: Uint8Array },
  request: Uint8Array,
): Promise<OpenedAsk | undefined> {
  const address = (await deps.store.get('channels', channelId))?.address
  if (address === undefined) return undefined
  try {
    return await openJoinRequest(pair, { address, id }, request)
  } catch (error) {
    if (error instanceof CryptoError || error instanceof WireError || error instanceof StateError) return undefined
    throw error
  }
}

/** rubbish: also what is too old, asked twice, or asks for what is so already; hidden: by somebody blocked (M-11). */
async function judge(
  deps: Deps,
  channelId: string,
  { manifest, asked }: OpenedAsk,
  known: readonly JoinRecord[],
): Promise<'ask' | 'rubbish' | 'hidden'> {
  if (Math.abs(deps.clock.now() - asked.atMs) > TOO_OLD_MS) return 'rubbish'
  const { account } = manifest
  if (isBlocked((await findContact(deps.store, account))?.record)) return 'hidden'
  const sync = await deps.store.get('syncs', channelId)
  if (sync?.accounts.some((place) => equalBytes(place.account, account))) return 'rubbish'
  const isOpen = ({ state, person }: JoinRecord): boolean =>
    (state === 'asked' || state === 'due' || state === 'wanted') && equalBytes(person.account, account)
  return known.some(isOpen) ? 'rubbish' : 'ask'
}

function askedBy(channelId: string, id: Uint8Array, { manifest, asked }: OpenedAsk): JoinRecord {
  const { name, note, atMs, manifest: bytes } = asked
  const person = { account: manifest.account, name, manifest: bytes, sequence: manifest.sequence }
  return { channelId, by: { ask: id }, person, note, atMs, unsettled: true, state: 'asked' }
}

/** Of those that wait the relay shows the oldest: one that was among them and is not any more was answered by somebody else. */
async function dropAnswered(
  deps: Deps,
  known: ReadonlyMap<string, JoinRecord>,
  here: ReadonlySet<string>,
): Promise<boolean> {
  const gone = [...known].filter(([key, { state }]) => state === 'asked' && !here.has(key))
  if (gone.length > 0) await deps.store.write(gone.map(([key]) => ({ delete: 'joins', key })))
  return gone.length > 0
}
