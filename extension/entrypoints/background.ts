import { browser } from 'wxt/browser'
import { defineBackground } from 'wxt/utils/define-background'
import { startBackground } from '../background.ts'

const ALARM = 'stave-wake'

/** Registers every listener at once and hands over: whichever event woke the worker finds it listening. */
export default defineBackground({
  type: 'module',
  main() {
    const background = startBackground()
    browser.alarms.onAlarm.addListener((alarm) => {
      if (alarm.name === ALARM) background.wake()
    })
    browser.runtime.onStartup.addListener(() => background.wake())
    browser.runtime.onInstalled.addListener(() => background.wake())
    browser.notifications.onClicked.addListener(() => background.openFace())
    // The socket comes back by this alarm when the worker was stopped and no face is open.
    void browser.alarms.create(ALARM, { periodInMinutes: 1 })
  },
})
