import { browser } from 'wxt/browser'
import type { Notifier } from '#app/ports/notifier.ts'

const NOTIFICATION = 'stave-arrived'
const NEW_MESSAGE = { en: 'You have a new message.', es: 'Tienes un mensaje nuevo.' } as const

/** The toolbar's badge, and one notification without content while no face is open (T-08, K-10). */
export function makeExtensionNotifier(): Notifier {
  return {
    unread: (total) => {
      void browser.action.setBadgeText({ text: total === 0 ? '' : total > 99 ? '99+' : String(total) })
      if (total === 0) void browser.notifications.clear(NOTIFICATION)
    },
    arrived: () => {
      void facesOpen().then((open) => {
        if (open) return
        void browser.notifications.create(NOTIFICATION, {
          type: 'basic',
          iconUrl: `${location.origin}/icon/128.png`,
          title: 'Stave',
          message: NEW_MESSAGE[navigator.language.startsWith('es') ? 'es' : 'en'],
        })
      })
    },
  }
}

/** Is a popup, a side panel or a tab of ours there? Firefox has no getContexts; its background page can list the views. */
async function facesOpen(): Promise<boolean> {
  if (browser.runtime.getContexts !== undefined) {
    const contexts = await browser.runtime.getContexts({ contextTypes: ['POPUP', 'SIDE_PANEL', 'TAB'] })
    return contexts.length > 0
  }
  return browser.extension.getViews({ type: 'popup' }).length > 0
}
