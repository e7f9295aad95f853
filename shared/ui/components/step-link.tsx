import { ChevronRight } from 'lucide-preact'
import type { JSX } from 'preact'
import { type Route, routePath } from '../state/router.ts'
import { useModel } from './use-model.ts'
import './step-link.css'

type Props = { readonly to: Route; readonly label: string; readonly hint?: string; readonly icon: JSX.Element }

/** A row that leads to a page of its own. */
export function StepLink({ to, label, hint, icon }: Props) {
  const { shell } = useModel()
  const path = routePath(to)
  return (
    <a
      class="step-link"
      href={shell.kind === 'web' ? path : `#${path}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        shell.router.go(to)
      }}
    >
      {icon}
      <span class="step-text">
        <span class="step-label">{label}</span>
        {hint !== undefined && <span class="hint">{hint}</span>}
      </span>
      <ChevronRight size={16} class="turns" />
    </a>
  )
}
