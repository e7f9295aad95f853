/**
 * @typedef {{ what: string, value: string, goal?: string, met?: boolean, bound?: string }} Ratio
 * @typedef {{ what: string, value: string }} Figure
 * @typedef {{ title: string, head: readonly string[], rows: readonly (readonly string[])[] }} Table
 * @typedef {{ ratios: Ratio[], figures: Figure[], tables?: Table[], note?: string }} Outcome
 */

/** @param {readonly string[]} head lines before the tables @param {Record<string, Outcome>} parts @returns {string} */
export function report(head, parts) {
  const outcomes = Object.values(parts)
  const ratios = outcomes.flatMap((part) => part.ratios)
  const missed = ratios.filter(({ met }) => met === false)
  const lines = ['# Benchmarks', '', ...head, '']
  lines.push('## Ratios and goals', '', '| | measured | goal | |', '| --- | ---: | --- | --- |')
  for (const { what, value, goal = '', met } of ratios)
    lines.push(`| ${what} | ${value} | ${goal} | ${met === undefined ? '' : met ? 'met' : '**missed**'} |`)
  if (missed.length > 0) {
    lines.push('', 'What bounds the goals that were missed:', '')
    for (const { what, bound } of missed) lines.push(`- ${what}. ${bound ?? ''}`)
  }
  lines.push('', '## Figures')
  for (const [title, { figures, tables = [], note }] of Object.entries(parts)) {
    lines.push('', `### ${title}`)
    if (figures.length > 0)
      lines.push('', '| | |', '| --- | ---: |', ...figures.map(({ what, value }) => `| ${what} | ${value} |`))
    for (const { title: of, head: columns, rows } of tables) {
      lines.push('', of, '', `| | ${columns.join(' | ')} |`, `| --- |${' ---: |'.repeat(columns.length)}`)
      for (const row of rows) lines.push(`| ${row.join(' | ')} |`)
    }
    if (note !== undefined) lines.push('', note)
  }
  return `${lines.join('\n')}\n`
}
