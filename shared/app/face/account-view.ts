import { StoreError } from '#core/errors.ts'
import { fingerprint } from '#core/identity/fingerprint.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import type { AccountView, Problem } from '../face.ts'
import type { Store, StoreCondition } from '../ports/store.ts'

const PROBLEMS: Readonly<Partial<Record<StoreCondition, Problem>>> = {
  refused: 'storage-refused',
  'keys-missing': 'keys-missing',
  'data-missing': 'data-missing',
  'newer-data': 'newer-data',
}

/** U-07: what is missing or broken is said; a new identity is only ever made when there was none. */
export async function accountView(
  store: Store,
  supported: boolean,
  isPersistent: () => Promise<boolean>,
): Promise<AccountView> {
  if (!supported) return { state: 'blocked', problem: 'unsupported-browser' }
  const condition = await store.condition()
  if (condition === 'empty') return { state: 'none' }
  if (condition === 'locked') return lockedView(store)
  const problem = PROBLEMS[condition]
  if (problem !== undefined) return { state: 'blocked', problem }
  try {
    const [account, device] = await Promise.all([readAccount(store), readDevice(store)])
    if (account === undefined) return { state: 'none' } // a first run that stopped half-way
    if (account.revoked) return { state: 'revoked' }
    return {
      state: 'ready',
      name: account.name,
      deviceName: device?.deviceName ?? '',
      backedUp: account.backedUp,
      fingerprint: fingerprint(account.account),
      holdsRoot: account.rootSeed !== undefined,
      ...(device?.unlisted && account.rootSeed === undefined ? { unlisted: true } : {}),
      persistent: await isPersistent(),
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/locked') return lockedView(store) // while it was read
    if (error instanceof StoreError) return { state: 'blocked', problem: problemOf(error.code) }
    throw error
  }
}

async function lockedView(store: Store): Promise<AccountView> {
  const by = (await store.lock())?.door.by
  return { state: 'locked', doors: by === undefined ? [] : [by] }
}

function problemOf(code: string): Problem {
  if (code === 'store/keys-missing') return 'keys-missing'
  if (code === 'store/newer') return 'newer-data'
  if (code === 'store/full') return 'storage-full'
  return 'broken-data'
}
