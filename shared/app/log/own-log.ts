import { firstLogHead } from '#core/channel/log-chain.ts'
import { decodeKeyRing, type KeyRing, logAddressOf } from '#core/keys/key-ring.ts'
import { type Address, LABEL_BYTES, type WakeLabel } from '#core/wire/ids.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { AccountRecord, DeviceRecord, LogRecord } from '../ports/records.ts'

/** The account's log as this device knows it, and the keys that it needs there. */
export type OwnLog = {
  readonly account: AccountRecord
  readonly device: DeviceRecord
  readonly ring: KeyRing
  readonly address: Address
  readonly isOpen: boolean // at the realm
  readonly record: LogRecord
}

/** @returns undefined where there is no account yet, none any more (K-07), or no realm */
export async function readOwnLog(deps: Pick<Deps, 'store' | 'dice'>): Promise<OwnLog | undefined> {
  const [account, device, realm, keyRing, log] = await Promise.all([
    readAccount(deps.store),
    readDevice(deps.store),
    readRealm(deps.store),
    deps.store.get('meta', 'keyRing'),
    deps.store.get('meta', 'log'),
  ])
  if (account === undefined || account.revoked || device === undefined || realm === undefined) return undefined
  if (keyRing?.kind !== 'keyRing') return undefined
  const ring = decodeKeyRing(keyRing.bytes)
  const address = logAddressOf(ring.logAddressSecret, realm.noiseKey)
  const record = log?.kind === 'log' ? log : newLogRecord(deps, address)
  return { account, device, ring, address, isOpen: keyRing.vaultNumber > 0, record }
}

function newLogRecord({ dice }: Pick<Deps, 'dice'>, address: Address): LogRecord {
  const label = dice(LABEL_BYTES) as WakeLabel
  return { kind: 'log', position: 0, head: firstLogHead(address), lastStamp: 0, singles: 0, label }
}
