/** The dark modules of a QR code as one SVG path, a run of a row at a time. */
export function qrPath(modules: readonly (readonly boolean[])[]): string {
  let path = ''
  for (const [y, row] of modules.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const start = x
      while (row[x + 1]) x++
      path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`
    }
  }
  return path
}
