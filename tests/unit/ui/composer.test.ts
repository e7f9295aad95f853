import { describe, expect, it } from 'vitest'
import { MAX_TEXT_BYTES as CORE_MAX } from '#core/wire/limits.ts'
import { type ComposerKey, composerKey, MAX_TEXT_BYTES, measure } from '#ui/state/composer.ts'

const enter: ComposerKey = {
  key: 'Enter',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
}

describe('the composer', () => {
  it('[FACE] Enter sends and Shift+Enter breaks; the setting turns it round', () => {
    expect(composerKey(enter, true)).toBe('send')
    expect(composerKey({ ...enter, shiftKey: true }, true)).toBe('pass')
    expect(composerKey(enter, false)).toBe('pass')
    expect(composerKey({ ...enter, shiftKey: true }, false)).toBe('send')
  })

  it('[FACE] Ctrl+Enter and Cmd+Enter send either way', () => {
    for (const enterSends of [true, false]) {
      expect(composerKey({ ...enter, ctrlKey: true }, enterSends)).toBe('send')
      expect(composerKey({ ...enter, metaKey: true }, enterSends)).toBe('send')
    }
  })

  it('[FACE] composition is never taken for Enter', () => {
    expect(composerKey({ ...enter, isComposing: true }, true)).toBe('pass')
    expect(composerKey({ ...enter, keyCode: 229 }, true)).toBe('pass')
    expect(composerKey({ ...enter, isComposing: true, ctrlKey: true }, true)).toBe('pass')
  })

  it('other keys are the text field’s', () => {
    expect(composerKey({ ...enter, key: 'a' }, true)).toBe('pass')
    expect(composerKey({ ...enter, altKey: true }, true)).toBe('pass')
  })

  it('[M-01] counts as the core does, in UTF-8', () => {
    expect(MAX_TEXT_BYTES).toBe(CORE_MAX)
    expect(measure('a'.repeat(MAX_TEXT_BYTES))).toMatchObject({ left: 0, over: false, near: true })
    expect(measure(`${'a'.repeat(MAX_TEXT_BYTES)}b`)).toMatchObject({ left: -1, over: true })
    expect(measure('€'.repeat(MAX_TEXT_BYTES / 3 + 1)).over).toBe(true)
    expect(measure('😀'.repeat(MAX_TEXT_BYTES / 4)).over).toBe(false)
    expect(measure('😀'.repeat(MAX_TEXT_BYTES / 4 + 1)).over).toBe(true)
  })

  it('[FACE] says how much is left from nine tenths on', () => {
    expect(measure('a'.repeat(MAX_TEXT_BYTES * 0.9)).near).toBe(false)
    expect(measure('a'.repeat(MAX_TEXT_BYTES * 0.9 + 1)).near).toBe(true)
  })
})
