import { CryptoError, InputError, WireError } from '#core/errors.ts'
import { fingerprint } from '#core/identity/fingerprint.ts'
import { logAddressOf } from '#core/keys/key-ring.ts'
import { type OpenedAccount, openAccount } from '../account/open-account.ts'
import { requireEmptyDevice, restoreAccount } from '../account/restore-account.ts'
import type { Deps } from '../deps.ts'
import type { FoundAccount, RestoreKey, Work } from '../face.ts'
import { newestName } from '../log/newest-name.ts'
import { resumeRestore, stopRestore } from '../log/restore-work.ts'
import type { EngineHands } from '../requests.ts'
import { cancelShares } from '../share/share-work.ts'
import type { HandlersOf } from './handlers.ts'

/** K-03: an account comes back on this device. A passkey's answer comes from the face, which alone can ask for it. */
export type OpenKey =
  | Exclude<RestoreKey, { by: 'passkey' }>
  | { readonly by: 'passkey'; readonly userHandle: Uint8Array; readonly prf: Uint8Array; readonly realm?: string }
export type RestoreRequests = {
  lookUp: { args: OpenKey; reply: FoundAccount }
  restore: { args: { key: OpenKey; deviceName: string; deviceKind: 'web' | 'extension' }; reply: null }
  cancelWork: { args: { kind: Work['kind'] }; reply: null }
  resumeWork: { args: { kind: Work['kind'] }; reply: null }
}

export const restoreHandlers: HandlersOf<RestoreRequests> = {
  lookUp: async (deps, hands, key) => {
    await requireEmptyDevice(deps)
    const opened = await openOrSay(deps, hands, key)
    const { account, manifest } = opened
    return { name: await nameOf(deps, opened), fingerprint: fingerprint(account), devices: manifest.devices.length }
  },
  restore: async (deps, hands, { key, ...device }) => {
    await requireEmptyDevice(deps)
    const opened = await openOrSay(deps, hands, key)
    const name = await nameOf(deps, opened)
    await hands.turn('realm', () => restoreAccount(deps, opened, { ...device, name }))
    deps.changes.announce({ what: 'account' })
    deps.changes.announce({ what: 'work' })
    await hands.accountMade()
    return null
  },
  cancelWork: async (deps, hands, { kind }) => {
    if (kind === 'restore') await hands.turn('log', () => stopRestore(deps))
    if (kind === 'share' || kind === 'take') await cancelShares(deps, (name, task) => hands.turn(name, task), kind)
    deps.changes.announce({ what: 'work' })
    return null
  },
  resumeWork: async (deps, hands, { kind }) => {
    if (kind === 'restore') await hands.turn('log', () => resumeRestore(deps))
    hands.logNoted({})
    deps.changes.announce({ what: 'work' })
    return null
  },
}

/** What a realm shows that the account did not make opens nothing, and a person hears that much of it. */
async function openOrSay(deps: Deps, hands: EngineHands, key: OpenKey): Promise<OpenedAccount> {
  try {
    return await openAccount(deps, hands, key)
  } catch (cause) {
    if (!(cause instanceof CryptoError || cause instanceof WireError)) throw cause
    throw new InputError('restore/false', {}, { cause })
  }
}

function nameOf(deps: Deps, { ring, target }: OpenedAccount): Promise<string> {
  return newestName(deps, ring, logAddressOf(ring.logAddressSecret, target.noiseKey))
}
