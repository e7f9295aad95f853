/** @param {readonly number[]} values @param {number} part 0.5: the median */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5)
}

/** @param {number} value three figures, or all there are before the point */
export function figure(value) {
  if (!Number.isFinite(value)) return '–'
  const [whole, part = ''] = (Math.abs(value) >= 100 ? value.toFixed(0) : `${Number(value.toPrecision(3))}`).split('.')
  return `${(whole ?? '').replace(/\B(?=(\d{3})+$)/g, ',')}${part && `.${part}`}`
}

/** @param {readonly number[]} values */
export function spread(values) {
  return `${figure(median(values))} / ${figure(quantile(values, 0.95))}`
}
