import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InputError } from '#core/errors.ts'
import { en } from '#ui/strings/en.ts'
import { es } from '#ui/strings/es.ts'
import { directionOf, localeOf, pickLanguage } from '#ui/strings/language.ts'
import { sayCode, sayError } from '#ui/strings/say-error.ts'

const catalogues = { en, es }

/** Every text of a catalogue by its path; what takes arguments is called with samples. */
function texts(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') return [[path, String(node(3, 'b'))]]
  return Object.entries(node as object).flatMap(([key, value]) => texts(value, `${path}.${key}`))
}

/** The codes of errors that are made for a person to read, from the source itself. */
function thrownCodes(): Set<string> {
  const root = join(import.meta.dirname, '../../../shared')
  const codes = new Set<string>()
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.startsWith('ui')) continue
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, code] of source.matchAll(/\b(?:InputError|RelayError|StoreError)\(\s*'([^']+)'/g))
      codes.add(code ?? '')
  }
  return codes
}

describe('the words', () => {
  it('[U-05] both catalogues have the same keys and no empty text', () => {
    expect(texts(es).map(([path]) => path)).toEqual(texts(en).map(([path]) => path))
    for (const [path, text] of [...texts(en), ...texts(es)]) expect(text.trim(), path).not.toBe('')
  })

  it('[FACE] no exclamation marks, no jargon, no apologies', () => {
    for (const [path, text] of [...texts(en), ...texts(es)]) {
      expect(text, path).not.toMatch(
        /[!¡]|\b(epochs?|commits?|ciphertexts?|oops|please|época|realms?|relés?|reinos?)\b/i,
      )
    }
  })

  it('[FACE] every code a person can meet has a sentence in both languages', () => {
    const listed = [
      'text/too-long',
      'invitation/used',
      'invitation/expired',
      'invitation/revoked',
      'invitation/unknown',
      'invitation/truncated',
      'invitation/not-a-link',
      'invitation/version',
      'invitation/foreign-realm',
      'invitation/manifest',
      'phrase/word',
      'relay/unreachable',
      'realm/wrong-key',
      'quota/anything',
    ]
    const codes = new Set([...listed, ...thrownCodes()])
    expect(codes.size).toBeGreaterThan(listed.length)
    for (const code of codes) {
      for (const [language, catalogue] of Object.entries(catalogues)) {
        expect(sayCode(catalogue, code), `${language} ${code}`).not.toBe(catalogue.errors.unknown)
      }
    }
  })

  it('[FACE] an error says what happened, what is safe and what to do', () => {
    const short = new Set(['text/empty', 'clipboard'])
    for (const [language, { errors }] of Object.entries(catalogues)) {
      for (const [code, text] of Object.entries(errors)) {
        if (short.has(code)) continue
        expect(text.match(/[.](\s|$)/g)?.length ?? 0, `${language} ${code}`).toBeGreaterThanOrEqual(3)
      }
    }
  })

  it('[K-02] names the wrong word by its number', () => {
    expect(sayError(en, new InputError('phrase/word', { position: 7 }))).toContain('Word 7 ')
    expect(sayError(es, new InputError('phrase/word', { position: 7 }))).toContain('palabra 7 ')
  })

  it('[K-04] never shows what an error carries besides its code', () => {
    expect(sayError(en, new Error('abandon ability'))).toBe(en.errors.unknown)
    expect(sayError(en, 'abandon ability')).toBe(en.errors.unknown)
    expect(sayCode(en, 'constructor')).toBe(en.errors.unknown)
  })

  it('[FACE] the first run has three sentences in all', () => {
    for (const { firstRun } of [en, es]) {
      for (const lead of [firstRun.lead, firstRun.leadInvited]) expect(lead.match(/[.](\s|$)/g)).toHaveLength(3)
    }
  })

  it('[U-05] picks the person’s language, and its regional ways', () => {
    expect(pickLanguage('auto', ['fr', 'es-MX', 'en'])).toBe('es')
    expect(pickLanguage('auto', ['fr'])).toBe('en')
    expect(pickLanguage('en', ['es'])).toBe('en')
    expect(localeOf('es', ['en-GB', 'es-MX'])).toBe('es-MX')
    expect(localeOf('es', ['en'])).toBe('es')
    expect([directionOf('en'), directionOf('ar')]).toEqual(['ltr', 'rtl'])
  })
})
