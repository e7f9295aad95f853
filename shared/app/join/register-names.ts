import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { RelayError } from '#core/errors.ts'
import { joinKeyPair } from '#core/message/name-keys.ts'
import type { TokenHash } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { NamedRecord } from '../ports/join-records.ts'
import type { EngineHands } from '../requests.ts'
import type { Apart } from './apart.ts'

/**
 * Registers the names of this device's channels, each once its channel lies where the name says: repeated until the relay has
 * said yes, or that somebody else has it (NAM2). Then the group goes on without, and the person is told.
 */
export async function registerNames(deps: Deps, hands: Pick<EngineHands, 'turn'>, apart: Apart): Promise<void> {
  for (const { key, record } of await deps.store.list('channels')) {
    const { named } = record
    if (named?.state === 'registering') await apart(() => registerName(deps, hands, String(key), named))
  }
}

async function registerName(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  channelId: string,
  named: NamedRecord,
): Promise<void> {
  if (named.keys === undefined) return
  const sync = await deps.store.get('syncs', channelId)
  if (sync === undefined || sync.opening) return
  const { publicKey } = await joinKeyPair(named.keys)
  const tokenHash = hashToken<TokenHash>(labels.nameToken, named.keys.token)
  const isOurs = await register(deps, { name: named.name, tokenHash, joinKey: publicKey })
  if (isOurs === undefined) return
  const { keys: _, ...without } = named
  const after: NamedRecord = isOurs
    ? { ...named, state: 'registered', proven: true, given: [] }
    : { ...without, state: 'taken' }
  await changeNamed(deps, hands, channelId, () => after)
}

type Registration = { readonly name: string; readonly tokenHash: TokenHash; readonly joinKey: Uint8Array }

async function register({ relay }: Deps, registration: Registration): Promise<boolean | undefined> {
  try {
    await relay.call('name.register', registration)
    return true
  } catch (error) {
    if (error instanceof RelayError && error.code === 'name/exists') return false
    if (error instanceof RelayError && error.code === 'quota/names') return undefined // later
    throw error
  }
}

/** In the channel's turn, on the record as it is then. */
export async function changeNamed(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  channelId: string,
  change: (named: NamedRecord) => NamedRecord,
): Promise<void> {
  const now = (await deps.store.get('channels', channelId))?.named
  if (now === undefined || change(now) === now) return // the conversation goes on meanwhile
  await hands.turn(channelId, async () => {
    const channel = await deps.store.get('channels', channelId)
    if (channel?.named === undefined) return
    const named = change(channel.named)
    await deps.store.write([{ put: 'channels', key: channelId, record: { ...channel, named } }])
  })
  deps.changes.announce({ what: 'channels' })
}
