import { describe, expect, it } from 'vitest'
import type { GroupNotice, Line } from '#app/face.ts'
import { sayNotice } from '#ui/state/say-notice.ts'
import { timesIn } from '#ui/state/times.ts'
import { en, type Strings } from '#ui/strings/en.ts'
import { es } from '#ui/strings/es.ts'

const notice = (mine: boolean, more: Partial<GroupNotice>): Line & GroupNotice => ({
  id: 'n',
  order: 1,
  atMs: 0,
  author: { id: 'a', name: 'Ada', mine },
  kind: 'group',
  notice: 'added',
  by: 'Ada',
  names: [],
  count: more.names?.length ?? 0,
  value: '',
  ...more,
})
const bare = (text: string) => text.replace(/[\u2068\u2069]/g, '')
const say = (t: Strings, line: Line & GroupNotice) =>
  bare(sayNotice(t, timesIn(t === en ? 'en-GB' : 'es', { today: t.today, yesterday: t.yesterday }), line))

describe('what was changed of a group', () => {
  it('[C-04] names who did it, to whom, and how many more', () => {
    const added = { notice: 'added', names: ['Ben', ''], count: 7 } as const
    expect(say(en, notice(false, added))).toBe('Ada added Ben, Somebody and 5 others')
    expect(say(en, notice(true, added))).toBe('You added Ben, Somebody and 5 others')
    expect(say(es, notice(true, added))).toBe('Añadiste a Ben, Alguien y 5 más')
    expect(say(en, notice(false, { notice: 'removed', by: '', names: ['Ben'] }))).toBe('Somebody removed Ben')
    expect(say(en, notice(false, { notice: 'left' }))).toBe('Ada left')
  })

  it('[C-13] says the role, the title, the topic and the time after which messages vanish', () => {
    expect(say(en, notice(false, { notice: 'role', names: ['Ben'], value: 'admin' }))).toBe('Ada made Ben an admin')
    expect(say(en, notice(false, { notice: 'role', names: ['Ben'], value: 'emperor' }))).toContain('a plain member')
    expect(say(en, notice(true, { notice: 'title', value: 'Roof' }))).toBe('You called it “Roof”')
    expect(say(es, notice(true, { notice: 'topic', value: '' }))).toBe('Quitaste el tema')
    expect(say(en, notice(false, { notice: 'timer', value: '86400000' }))).toBe('Ada let messages vanish after 1 day')
    expect(say(es, notice(false, { notice: 'timer', value: '5400000' }))).toContain('90 minutos')
    expect(say(en, notice(false, { notice: 'timer', value: '0' }))).toBe('Ada let messages stay')
  })

  it('[C-10] says that channels came into a space or went', () => {
    const said = (t: Strings, value: string) => say(t, notice(false, { notice: 'space', value }))
    expect(said(en, 'listed')).toBe('Ada added a channel to the space')
    expect(said(es, 'unlisted')).toBe('Ada sacó un canal del espacio')
    expect(said(en, 'out')).toBe('Ada took this channel out of the space')
  })

  it('[U-05] a name of the other direction stands between marks of its own', () => {
    const said = sayNotice(en, timesIn('en', en), notice(false, { by: 'נועה', names: ['Ben'], count: 1 }))
    expect(said).toBe('\u2068נועה\u2069 added \u2068Ben\u2069')
  })
})
