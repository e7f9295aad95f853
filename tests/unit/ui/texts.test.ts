import { describe, expect, it } from 'vitest'
import type { PersonView } from '#app/face.ts'
import { choosePositions, completeWord, normalWord } from '#ui/state/ceremony.ts'
import { proposeDeviceName } from '#ui/state/device-name.ts'
import { findPeople } from '#ui/state/find-people.ts'
import { inGroups, safetyGroups } from '#ui/state/in-groups.ts'
import { findLinks } from '#ui/state/links.ts'
import { isLongEnough } from '#ui/state/passphrase.ts'
import { qrPath } from '#ui/state/qr-path.ts'
import { shorten } from '#ui/state/shorten.ts'
import { timesIn } from '#ui/state/times.ts'

const hrefs = (text: string) => findLinks(text).flatMap((piece) => piece.href ?? [])

describe('links', () => {
  it('[M-01] finds web addresses and leaves the sentence its punctuation', () => {
    expect(hrefs('see https://a.example/x?y=1#z. And http://b.example!')).toEqual([
      'https://a.example/x?y=1#z',
      'http://b.example',
    ])
    expect(hrefs('(https://a.example/x_(y)), https://b.example)')).toEqual([
      'https://a.example/x_(y)',
      'https://b.example',
    ])
  })

  it('[M-01] makes nothing else live', () => {
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.example',
      'https://',
      'xhttps://a.example',
      'a.example',
    ]) {
      expect(hrefs(text), text).toEqual([])
    }
  })

  it('[M-01] loses no sign of the text', () => {
    for (const text of [
      '',
      'a',
      'https://a.example',
      'א https://a.example/ב «https://c.example» end\n',
      'https://a.example)))',
    ]) {
      expect(
        findLinks(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }
  })
})

describe('long texts', () => {
  it('[FACE] shows forty lines of a longer text', () => {
    const lines = Array.from({ length: 41 }, (_, index) => `line ${index}`)
    expect(shorten(lines.slice(0, 40).join('\n'))).toBeUndefined()
    expect(shorten(lines.join('\n'))).toBe(lines.slice(0, 40).join('\n'))
  })

  it('[M-01] cuts one endless line between words, and never within a sign', () => {
    expect(shorten('word '.repeat(2000))?.endsWith('word')).toBe(true)
    const cut = shorten(`a${'😀'.repeat(4000)}`) ?? ''
    expect(cut.isWellFormed?.() ?? !/[\uD800-\uDBFF]$/.test(cut)).toBe(true)
  })
})

describe('the backup ceremony', () => {
  it('[K-02] asks for three different words, in order', () => {
    for (const dice of [() => 0, (below: number) => below - 1, (below: number) => below >> 1]) {
      const positions = choosePositions(24, dice)
      expect(new Set(positions).size).toBe(3)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      for (const position of positions) expect(position).toSatisfy((at: number) => at >= 1 && at <= 24)
    }
  })

  it('[K-03] completes words from two letters on, forgiving case, spaces and full-width forms', () => {
    const words = ['abandon', 'ability', 'able', 'zoo']
    expect(completeWord(words, ' AB')).toEqual(['abandon', 'ability', 'able'])
    expect(completeWord(words, 'ａｂｌ')).toEqual(['able'])
    expect(completeWord(words, 'a')).toEqual([])
    expect(normalWord(' Zoo ')).toBe('zoo')
  })
})

describe('small things', () => {
  it('[K-06] sets a number to compare in groups, and leaves one that is grouped', () => {
    expect(inGroups('481720395564', 4)).toBe('4817 2039 5564')
    expect(inGroups('12345 67890', 4)).toBe('12345 67890')
  })

  it('[K-11] a safety number is twelve groups of five', () => {
    expect(safetyGroups('0123456789'.repeat(6))).toEqual(Array.from({ length: 6 }, () => ['01234', '56789']).flat())
    expect(safetyGroups('01234 56789')).toEqual(['01234', '56789'])
  })

  it('[U-05] finds people by a part of the name, whatever its case and accents', () => {
    const people = ['José Núñez', 'Noa', 'עדה'].map((name) => ({ name }) as PersonView)
    expect(findPeople(people, ' NUN').map(({ name }) => name)).toEqual(['José Núñez'])
    expect(findPeople(people, 'עד')).toHaveLength(1)
    expect(findPeople(people, ' ')).toHaveLength(3)
  })

  it('[K-09] twelve signs are enough for a passphrase, counted as a person sees them', () => {
    expect(isLongEnough('velvet harbor island meadow timber candle')).toBe(true)
    expect(isLongEnough('eleven sign')).toBe(false)
    expect(isLongEnough('            ')).toBe(false)
    expect(isLongEnough('😀'.repeat(11))).toBe(false)
    expect(isLongEnough('😀'.repeat(12))).toBe(true)
  })

  it('[C-12] draws the dark modules of a code, a run at a time', () => {
    expect(
      qrPath([
        [true, true, false],
        [false, false, true],
      ]),
    ).toBe('M0 0h2v1h-2zM2 1h1v1h-1z')
  })

  it('[U-05] names days as people do', () => {
    const now = new Date(2026, 5, 10, 12).getTime()
    const times = timesIn('en-GB', { today: 'Today', yesterday: 'Yesterday' })
    expect(times.day(now, now)).toBe('Today')
    expect(times.day(new Date(2026, 5, 9, 23, 59).getTime(), now)).toBe('Yesterday')
    expect(times.day(new Date(2025, 5, 9).getTime(), now)).toBe('9 June 2025')
    expect(times.row(new Date(2026, 5, 10, 9, 5).getTime(), now)).toBe('09:05')
    expect(times.row(new Date(2026, 5, 8).getTime(), now)).toBe('Mon')
    expect(times.row(new Date(2026, 4, 1).getTime(), now)).toBe('1 May')
  })

  it('[U-02] proposes a device name from what the browser says', () => {
    const on = (browser: string, system: string) => `${browser} on ${system}`
    const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36'
    expect(proposeDeviceName(linux, on)).toBe('Chrome on Linux')
    expect(proposeDeviceName('Mozilla/5.0 (Android 15; Mobile) Gecko/153.0 Firefox/153.0', on)).toBe(
      'Firefox on Android',
    )
    expect(proposeDeviceName('', on)).toBe('')
  })
})
