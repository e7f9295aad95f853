import os from 'node:os'

/** @typedef {{ name: string, suite: number, size: number, shape: string }} Case */
/** @typedef {Record<string, number>} Row */
/** @typedef {Case & { engine: string, ours: Row, stock?: Row | undefined, peer?: Row | undefined }} Measured */

const isBytes = (/** @type {string} */ what) => what.startsWith('B ')
/** Of the requirement, at 1,000 members in Chromium. */
const GOALS = [
  { name: 'classical', rows: ['join', 'open an add', 'open an update', 'open a remove'], ms: 150 },
  { name: 'X-Wing', rows: ['join', 'open an add', 'open an update', 'open a remove'], ms: 300 },
]
const RESTORE = 'store: restore'
const RESTORE_MS = 100

/** @param {{ measured: Measured[], loadAtStart: number, minutes: number, sizes: { ours: number, peer: number } }} input */
export function report({ measured, loadAtStart, minutes, sizes }) {
  const load = `${loadAtStart.toFixed(1)} at the start and ${(os.loadavg()[0] ?? 0).toFixed(1)} at the end`
  const lines = [
    '# MLS: what it costs',
    '',
    `Made by \`node bench/mls/run.mjs\` on ${new Date().toISOString().slice(0, 10)}, in ${minutes.toFixed(1)} minutes: ${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), load`,
    `${load}, Node ${process.versions.node}, Chromium. Read the ratios first: the columns of a ratio ran one after the other on the same machine. Flat: a tree that adds alone have`,
    'shaped. Full: everybody has committed once. Ours includes certificates, manifests and policy, which the others leave out; a group of N is N accounts of one',
    'device. core-crypto 10.3.0 is OpenMLS in WebAssembly, with its database in memory; writing to it is part of each of its operations. Ours leaves the writing out:',
    'a message is two or three small rows, a commit some ten. The rows "store: …" are that: IndexedDB and the seal of each row, as the engine writes and reads a',
    'group. Encode, decode and restore have no ratio to core-crypto: its state is in its own database and is not to be had as bytes, and opening that again',
    'reads no tree before it is needed. Where opening a commit has no figure, the commit has more bytes than an envelope holds (1 MiB): such a channel is',
    'classical (docs/spec/groups.md). A joiner here has met nobody: no verdict is remembered from one join to the next.',
    '',
    ...goals(measured),
    `Engine, gzip: ours ${kib(sizes.ours)} KiB, core-crypto ${kib(sizes.peer)} KiB.`,
    '',
  ]
  for (const engine of ['Chromium', 'Node']) {
    const all = measured.filter((one) => one.engine === engine)
    const classical = all.filter((one) => one.name === 'classical')
    lines.push(`## ${engine}, classical: core-crypto ÷ ours`, '', ...ratios(classical, 'peer'))
    lines.push(`## ${engine}, classical: published ts-mls 1.6.4 ÷ ours`, '', ...ratios(classical, 'stock'))
    for (const name of ['classical', 'X-Wing']) {
      const rows = all.filter((one) => one.name === name)
      lines.push(`## ${engine}, ${name}, ms`, '', ...table(rows.map(columnOf((what) => !isBytes(what)))))
    }
  }
  for (const name of ['classical', 'X-Wing']) {
    const rows = measured.filter((one) => one.engine === 'Chromium' && one.name === name)
    lines.push(`## Bytes, ${name}`, '', ...table(rows.map(columnOf(isBytes))))
  }
  return lines.join('\n')
}

/** @param {number} bytes */
function kib(bytes) {
  return (bytes / 1024).toFixed(1)
}

/** @param {Measured[]} measured */
function goals(measured) {
  const at = measured.filter(({ engine, size }) => engine === 'Chromium' && size === 1000)
  const lines = at.flatMap(({ name, shape, ours, peer }) => {
    const goal = GOALS.find((one) => one.name === name)
    const restored = ours[RESTORE] ?? 0
    const missed = (goal?.rows ?? []).filter((what) => shape === 'full' && (ours[what] ?? 0) > (goal?.ms ?? 0))
    const slower = Object.keys(peer ?? {}).filter((what) => !isBytes(what) && (peer?.[what] ?? 0) < (ours[what] ?? 0))
    const title = `- ${name}, ${shape}:`
    return [
      ...(shape === 'full'
        ? [
            `${title} ${missed.length === 0 ? `all at most ${goal?.ms} ms` : `more than ${goal?.ms} ms: ${missed.join(', ')}`}.`,
          ]
        : []),
      ...(restored > 0 ? [`${title} read back from the store in ${restored.toFixed(0)} ms (goal ${RESTORE_MS}).`] : []),
      ...(peer === undefined ? [] : [`${title} slower than core-crypto: ${slower.join(', ') || 'nothing'}.`]),
    ]
  })
  return lines.length === 0 ? [] : ['Against the goals at 1,000 members in Chromium:', '', ...lines, '']
}

/** @typedef {{ title: string, row: Row }} Column */

/** @param {(what: string) => boolean} wanted @returns {(one: Measured) => Column} */
function columnOf(wanted) {
  return ({ size, shape, ours }) => ({
    title: `${size} ${shape}`,
    row: Object.fromEntries(Object.entries(ours).filter(([what]) => wanted(what))),
  })
}

/** @param {Measured[]} measured @param {'stock' | 'peer'} other */
function ratios(measured, other) {
  const columns = measured.flatMap(({ size, shape, ours, [other]: theirs }) => {
    if (theirs === undefined) return []
    const both = Object.entries(theirs).flatMap(([what, value]) => {
      const own = ours[what]
      return own === undefined ? [] : [[what, value / own]]
    })
    return [{ title: `${size} ${shape}`, row: Object.fromEntries(both) }]
  })
  return table(columns)
}

/** @param {Column[]} columns */
function table(columns) {
  /** @param {number | undefined} value */
  const cell = (value) => {
    if (value === undefined) return ''
    return value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toPrecision(2)
  }
  const names = [...new Set(columns.flatMap(({ row }) => Object.keys(row)))]
  return [
    `| | ${columns.map(({ title }) => title).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(columns.length)}`,
    ...names.map(
      (what) =>
        `| ${what.replace(/^B (.*)/, '$1, bytes')} | ${columns.map(({ row }) => cell(row[what])).join(' | ')} |`,
    ),
    '',
  ]
}
