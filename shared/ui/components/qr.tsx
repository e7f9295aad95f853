import { useMemo } from 'preact/hooks'
import { encode } from 'uqr'
import { qrPath } from '../state/qr-path.ts'

/** Always dark on light, whatever the theme: scanners expect it. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 4 })
    return { path: qrPath(data), size }
  }, [text])
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
