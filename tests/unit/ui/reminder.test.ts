import { describe, expect, it } from 'vitest'
import type { AccountView, ChannelView, Settings } from '#app/face.ts'
import { REMIND_AGAIN_MS, reminder } from '#ui/state/reminder.ts'

const account: AccountView = {
  state: 'ready',
  name: 'A',
  deviceName: 'B',
  backedUp: false,
  fingerprint: '',
  holdsRoot: true,
  persistent: true,
}
const settings: Settings = {
  language: 'auto',
  theme: 'auto',
  density: 'comfortable',
  enterSends: true,
  cover: 'light',
}
function talk(kind: ChannelView['kind'], lastText: string): ChannelView {
  return { id: kind, kind, title: '', state: 'open', lastText, lastAtMs: 1, lastState: 'none', unread: 0, draft: '' }
}
const seen = { account, settings, channels: [talk('direct', 'hi')], nowMs: 1000 }

describe('the reminder to back up', () => {
  it('[K-02] comes after the first conversation, not before', () => {
    expect(reminder(seen)).toBe('backup')
    expect(reminder({ ...seen, channels: [] })).toBeUndefined()
    expect(reminder({ ...seen, channels: [talk('direct', ''), talk('notes', 'mine')] })).toBeUndefined()
  })

  it('[U-07] comes at once where the browser may erase the keys', () => {
    expect(reminder({ ...seen, channels: [], account: { ...account, persistent: false } })).toBe('erasure')
  })

  it('[K-02] is put away for a week, and for good once the words are on paper', () => {
    const put = { ...settings, remindAfterMs: 1000 + REMIND_AGAIN_MS }
    expect(reminder({ ...seen, settings: put })).toBeUndefined()
    expect(reminder({ ...seen, settings: put, nowMs: put.remindAfterMs })).toBe('backup')
    expect(reminder({ ...seen, account: { ...account, backedUp: true, persistent: false } })).toBeUndefined()
  })

  it('[K-06] a linked device has no words to write down', () => {
    expect(reminder({ ...seen, account: { ...account, holdsRoot: false, persistent: false } })).toBeUndefined()
  })
})
