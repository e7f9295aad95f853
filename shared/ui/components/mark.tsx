import { useId } from 'preact/hooks'

const TURNS = [16, 32, 48].map((y) => `M20 ${y + 4.17} 44 ${y - 4.17}`).join('')
const GAPS = [16, 32, 48].map((y) => `M14 ${y + 6.25} 50 ${y - 6.25}`).join('')

/** The mark: a slanted rod with a ribbon wound three times around it. */
export function Mark({ size = 24 }: { readonly size?: number }) {
  const id = useId()
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <mask id={id} maskUnits="userSpaceOnUse" x="-16" y="-16" width="96" height="96">
        <path fill="#fff" d="M-16-16h96v96h-96z" />
        <path d={GAPS} stroke="#000" stroke-width="10.5" stroke-linecap="round" />
      </mask>
      <g transform="rotate(30 32 32)" stroke="currentColor" stroke-linecap="round" fill="none">
        <path mask={`url(#${id})`} d="M32 6.5V57.5" stroke-width="11" />
        <path d={TURNS} stroke-width="6.5" />
      </g>
    </svg>
  )
}
