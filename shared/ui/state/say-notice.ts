import type { GroupNotice, Line } from '#app/face.ts'
import type { Strings } from '../strings/en.ts'
import type { Times } from './times.ts'

/** What was changed of a group, by whom, in a sentence; '' stands for the person themselves. */
export function sayNotice(t: Strings, times: Times, line: Line & GroupNotice): string {
  const words = t.notices
  const by = line.author.mine ? '' : isolate(line.by === '' ? words.somebody : line.by)
  const whom = times.list(sayNames(t, times, line.names, line.count))
  switch (line.notice) {
    case 'added':
    case 'removed':
      return words[line.notice](by, whom)
    case 'left':
      return words.left(by)
    case 'role':
      return words.roles[line.value === 'owner' || line.value === 'admin' ? line.value : 'member'](by, whom)
    case 'title':
      return words.title(by, isolate(line.value))
    case 'topic':
      return line.value === '' ? words.noTopic(by) : words.topic(by, isolate(line.value))
    case 'avatar':
      return words.avatar(by)
    case 'shared':
      return words.shared(by, line.me ? '' : whom, times.count(Number(line.value)))
    case 'space':
      return words.space[line.value === 'listed' || line.value === 'unlisted' ? line.value : 'out'](by)
    case 'timer':
      return Number(line.value) > 0 ? words.timer(by, times.span(Number(line.value))) : words.noTimer(by)
  }
}

const NAMED = 8

/** The first few by name, each in its own direction, and how many more there are. */
export function sayNames(t: Strings, times: Times, names: readonly string[], count = names.length): readonly string[] {
  const known = names.slice(0, NAMED).map((name) => isolate(name === '' ? t.notices.somebody : name))
  const others = count - known.length
  return others > 0 ? [...known, t.notices.others(times.count(others))] : known
}

/** Between marks of its own: a name of the other direction doesn't turn the sentence round (U-05). */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`
}
