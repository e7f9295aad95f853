import { describe, expect, it } from 'vitest'
import type { Line } from '#app/face.ts'
import { arrange, GROUP_SPAN_MS, type Item } from '#ui/state/group-lines.ts'

const DAY_MS = 24 * 60 * 60 * 1000

function line(order: number, author: 'me' | 'them' | 'else', atMs: number): Line {
  return {
    id: `l${order}`,
    order,
    atMs,
    author: { id: author, name: author, mine: author === 'me' },
    kind: 'text',
    text: String(order),
    state: 'sent',
  }
}

const how = { unreadAfter: undefined, dayOf: (atMs: number) => String(Math.floor(atMs / DAY_MS)) }

function shape(items: readonly Item[]): string {
  return items
    .map((item) =>
      item.kind !== 'line' ? item.kind : `${item.line.order}${item.first ? '(' : ''}${item.last ? ')' : ''}`,
    )
    .join(' ')
}

describe('lines on a page', () => {
  it('[FACE] groups what one author says within five minutes of the first', () => {
    const lines = [line(1, 'me', 0), line(2, 'me', GROUP_SPAN_MS - 1), line(3, 'me', GROUP_SPAN_MS)]
    expect(shape(arrange(lines, how))).toBe('day 1( 2) 3()')
  })

  it('[FACE] begins a group with another author', () => {
    const lines = [line(1, 'me', 0), line(2, 'them', 1), line(3, 'else', 2), line(4, 'else', 3)]
    expect(shape(arrange(lines, how))).toBe('day 1() 2() 3( 4)')
  })

  it('[FACE] keeps one own line with the next, whichever device it comes from', () => {
    const other = { ...line(2, 'me', 1), author: { id: 'another device', name: '', mine: true } }
    expect(shape(arrange([line(1, 'me', 0), other], how))).toBe('day 1( 2)')
  })

  it('[FACE] puts a day line before the first line of each day, and groups never cross it', () => {
    const lines = [line(1, 'me', DAY_MS - 1), line(2, 'me', DAY_MS)]
    expect(shape(arrange(lines, how))).toBe('day 1() day 2()')
  })

  it('[FACE] puts the unread line before the first line of somebody else that was not read', () => {
    const lines = [line(1, 'them', 0), line(2, 'me', 1), line(3, 'them', 2), line(4, 'them', 3)]
    expect(shape(arrange(lines, { ...how, unreadAfter: 1 }))).toBe('day 1() 2() unread 3( 4)')
  })

  it('[FACE] shows no unread line when all that came after is one’s own', () => {
    const lines = [line(1, 'them', 0), line(2, 'me', 1)]
    expect(shape(arrange(lines, { ...how, unreadAfter: 1 }))).toBe('day 1() 2()')
  })

  it('[M-09] leaves what can’t be read and what happened outside of groups', () => {
    const unreadable: Line = { ...line(2, 'them', 1), kind: 'unreadable', cause: 'mls/open' } as Line
    const lines = [line(1, 'them', 0), unreadable, line(3, 'them', 2)]
    expect(shape(arrange(lines, how))).toBe('day 1() 2() 3()')
  })
})
