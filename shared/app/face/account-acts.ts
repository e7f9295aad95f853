import type { Face } from '../face.ts'
import { DEFAULT_SETTINGS } from '../log/settings.ts'
import { accountView } from './account-view.ts'
import { askOf, type FaceDeps, type FaceHands } from './face-deps.ts'

type AccountActs = Pick<
  Face,
  'account' | 'createIdentity' | 'revealPhrase' | 'confirmPhrase' | 'settings' | 'saveSettings' | 'askPersistence'
>

export function accountActs(deps: FaceDeps, hands: FaceHands): AccountActs {
  const { store, bridge, kind } = deps
  const ask = askOf(deps)
  return {
    account: () => accountView(store, deps.supported(), deps.isPersistent),
    createIdentity: async (input) => {
      await ask('createIdentity', { ...input, deviceKind: kind })
      void deps.askPersistence() // U-07: there is something to lose from here on
    },
    revealPhrase: () => bridge.request('revealPhrase', null),
    confirmPhrase: (answers) => ask('confirmPhrase', answers),
    settings: async () => {
      if ((await store.condition()) !== 'usable') return DEFAULT_SETTINGS
      return { ...DEFAULT_SETTINGS, ...(await store.get('settings', 'settings')) }
    },
    saveSettings: async (settings) => {
      await store.writeFree('settings', 'settings', settings)
      hands.announce({ what: 'settings' })
      hands.wake()
    },
    askPersistence: () => deps.askPersistence(),
  }
}
