import { useEffect, useState } from 'preact/hooks'
import { qrPath } from '../state/qr-path.ts'

type Drawing = { readonly path: string; readonly size: number }

/** Always dark on light, whatever the theme: scanners expect it. The coder is loaded when somebody invites. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const [drawing, setDrawing] = useState<Drawing>({ path: '', size: 1 })
  useEffect(() => {
    let isWanted = true
    import('uqr').then(
      ({ encode }) => {
        const { data, size } = encode(text, { ecc: 'M', border: 4 })
        if (isWanted) setDrawing({ path: qrPath(data), size })
      },
      () => undefined, // the link beside it says the same
    )
    return () => {
      isWanted = false
    }
  }, [text])
  const { path, size } = drawing
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
