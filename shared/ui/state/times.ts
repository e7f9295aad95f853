const DAY_MS = 24 * 60 * 60 * 1000
const UNITS = [
  ['day', DAY_MS],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const

export type Times = {
  /** 14:05 */
  clock(atMs: number): string
  /** For a row of the list: a time today, a weekday this week, else a date. */
  row(atMs: number, nowMs: number): string
  /** For a day line: the words for today and yesterday, else the date. */
  day(atMs: number, nowMs: number): string
  /** Day and time, for expiry and screen readers. */
  full(atMs: number): string
  /** A date counted in days, which has no time and so no time zone. */
  date(day: number): string
  /** 12,345 */
  count(number: number): string
  /** Ada, Ben and Cleo */
  list(names: readonly string[]): string
  /** 5 minutes, 1 day: in the largest unit that it is a whole number of. */
  span(ms: number): string
}

export function timesIn(locale: string, words: { readonly today: string; readonly yesterday: string }): Times {
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const oldDate = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
  const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
  const oldDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
  const full = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  })
  const plainDate = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const count = new Intl.NumberFormat(locale)
  const list = new Intl.ListFormat(locale)
  return {
    date: (atDay) => plainDate.format(atDay * DAY_MS),
    count: (number) => count.format(number),
    list: (names) => list.format(names),
    span: (ms) => {
      const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['second', 1000]
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(ms / size))
    },
    clock: (atMs) => clock.format(atMs),
    full: (atMs) => full.format(atMs),
    row(atMs, nowMs) {
      const ago = daysAgo(atMs, nowMs)
      if (ago <= 0) return clock.format(atMs)
      if (ago < 7) return weekday.format(atMs)
      return (sameYear(atMs, nowMs) ? date : oldDate).format(atMs)
    },
    day(atMs, nowMs) {
      const ago = daysAgo(atMs, nowMs)
      if (ago === 0) return words.today
      if (ago === 1) return words.yesterday
      return (sameYear(atMs, nowMs) ? day : oldDay).format(atMs)
    },
  }
}

/** Whole calendar days, not spans of 24 hours; rounding absorbs the hour of a clock change. */
function daysAgo(atMs: number, nowMs: number): number {
  return Math.round((new Date(nowMs).setHours(0, 0, 0, 0) - new Date(atMs).setHours(0, 0, 0, 0)) / DAY_MS)
}

function sameYear(atMs: number, nowMs: number): boolean {
  return new Date(atMs).getFullYear() === new Date(nowMs).getFullYear()
}
