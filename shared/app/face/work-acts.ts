import { ArchiveDesk } from '../archive/archive-desk.ts'
import { PASSKEY_SALT } from '../device/passkey-salt.ts'
import type { Face, RestoreKey } from '../face.ts'
import { restoreWork } from '../log/restore-work.ts'
import type { PasskeyAnswer } from '../ports/passkey.ts'
import type { OpenKey } from '../requests/restore.ts'
import { shareWork } from '../share/share-work.ts'
import { askOf, type FaceDeps, type FaceHands } from './face-deps.ts'

type WorkActs = Pick<
  Face,
  'lookUp' | 'restore' | 'work' | 'cancelWork' | 'resumeWork' | 'exportArchive' | 'importArchive'
>

/** What takes a while: an account that comes back, and archives (U-06). */
export function workActs(deps: FaceDeps, hands: FaceHands): WorkActs {
  const { store, bridge, kind, passkeys } = deps
  const ask = askOf(deps)
  const archives = new ArchiveDesk(deps, () => hands.tell({ what: 'work' }))
  let answered: PasskeyAnswer | undefined // a passkey is asked once for looking up and restoring
  const openKey = async (key: RestoreKey): Promise<OpenKey> => {
    if (key.by !== 'passkey') return key
    answered ??= await passkeys.get({ prfSalt: PASSKEY_SALT })
    const { userHandle, prf } = answered
    return { ...key, userHandle, prf }
  }
  return {
    lookUp: async (key) => {
      answered = undefined
      return bridge.request('lookUp', await openKey(key))
    },
    restore: async (key, input) => {
      await ask('restore', { key: await openKey(key), ...input, deviceKind: kind })
      answered = undefined
      void deps.askPersistence() // U-07
    },
    work: async () => {
      if ((await store.condition()) !== 'usable') return archives.works()
      const isOnline = hands.connection().state === 'online'
      const [restoring, shares] = [await restoreWork(store, isOnline), await shareWork(store, isOnline)]
      return [...restoring, ...shares, ...archives.works()]
    },
    cancelWork: async (what) => {
      if (what === 'import' || what === 'export') archives.cancel(what)
      else await ask('cancelWork', { kind: what })
    },
    resumeWork: async (what) => {
      if (what === 'restore') await ask('resumeWork', { kind: what })
    },
    exportArchive: (passphrase) => archives.export(passphrase),
    importArchive: (file, passphrase) => archives.import(file, passphrase),
  }
}
