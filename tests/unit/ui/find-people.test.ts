import { describe, expect, it } from 'vitest'
import { findPeople } from '#ui/state/find-people.ts'

const people = ['Ángela', 'angel', 'Zoë', '李娜', 'محمد'].map((name) => ({ name }))
const found = (typed: string) => findPeople(people, typed).map(({ name }) => name)

describe('[C-02] [U-05] finding somebody among hundreds', () => {
  it('takes no notice of case and accents, of the name or of what was typed', () => {
    expect(found('ANGEL')).toEqual(['Ángela', 'angel'])
    expect(found('zoe')).toEqual(['Zoë'])
    expect(found(' zoë ')).toEqual(['Zoë'])
  })

  it('finds names in any script', () => {
    expect(found('李')).toEqual(['李娜'])
    expect(found('حمد')).toEqual(['محمد'])
  })

  it('shows everybody as long as nothing was typed, and nobody for a name that nobody has', () => {
    expect(found('  ')).toHaveLength(people.length)
    expect(found('bob')).toEqual([])
  })
})
