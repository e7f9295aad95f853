import { describe, expect, it } from 'vitest'
import { isOwnPage, readAsk } from '../../../extension/bridge/messages.ts'

const ID = 'abcdefghijklmnopabcdefghijklmnop'
const ORIGIN = `chrome-extension://${ID}`

describe('the extension’s bridge', () => {
  it('hears pages of this extension alone, by what the browser says of the sender', () => {
    expect(isOwnPage({ id: ID, url: `${ORIGIN}/popup.html` }, ID, ORIGIN)).toBe(true)
    expect(isOwnPage({ id: ID, url: 'https://example.org/' }, ID, ORIGIN), 'a content script').toBe(false)
    expect(isOwnPage({ id: 'ponmlkjihgfedcbaponmlkjihgfedcba', url: `${ORIGIN}/popup.html` }, ID, ORIGIN)).toBe(false)
    expect(isOwnPage({ id: ID, url: `${ORIGIN}.example.org/` }, ID, ORIGIN)).toBe(false)
    expect(isOwnPage({ id: ID }, ID, ORIGIN)).toBe(false)
  })

  it('knows its requests by name, and nothing else', () => {
    expect(readAsk({ type: 'stave/ask', name: 'wake', args: null })).toMatchObject({ name: 'wake' })
    for (const message of [null, 'wake', {}, { type: 'stave/ask', name: 'toString' }, { type: 'ask', name: 'wake' }]) {
      expect(readAsk(message)).toBeUndefined()
    }
  })
})
